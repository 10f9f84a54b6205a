#pragma once

// All of the library but the execution over MPI (schedcc/mpi.hpp).

#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/explain.hpp"
#include "schedcc/format.hpp"
#include "schedcc/lowering.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/program.hpp"
#include "schedcc/prove.hpp"
#include "schedcc/report.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"
#include "schedcc/spec.hpp"
#include "schedcc/tune.hpp"
#include "schedcc/units.hpp"
#include "schedcc/version.hpp"
