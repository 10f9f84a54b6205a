#include "format/sched/lines.hpp"

namespace schedcc {

char* put_large_number(char* to, std::uint64_t number) {
  const auto low = static_cast<std::uint32_t>(number % 100'000'000);
  to = put_number(to, number / 100'000'000);
  return put_digits(put_digits(to, low / 10'000), low % 10'000);
}

}  // namespace schedcc
