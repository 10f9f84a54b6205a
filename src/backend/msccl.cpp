#include "frontend/import/msccl.hpp"
#include "schedcc/format.hpp"
namespace schedcc {
extern const Format msccl_format;
const Format msccl_format{
    .name = "msccl",
    .summary = "programs for GPUs: the XML of MSCCL, in both dialects",
    .extensions = {".xml"},
    .read = read_msccl,
    .recognises = is_msccl,
};
}  // namespace schedcc
