"""The tables of docs/scaling.md: what the model of sorts over ranks says, from the constants of one machine."""

import ranks_model
from medians import ROOT

MACHINE = ROOT / "results" / "xeon16"
CONSTANTS, SAMPLES = MACHINE / "ranks_model.csv", MACHINE / "ranks.csv.xz"
PER_NODE = 1 << 30


def of_constants(table):
    return lambda: table(ranks_model.read(CONSTANTS))


TABLES = {
    "ranks-stops": of_constants(lambda constants: ranks_model.stops_table(constants, (1 << 27, PER_NODE))),
    "ranks-ethernet": of_constants(lambda constants: ranks_model.scaling_table(constants, "ethernet", PER_NODE)),
    "ranks-infiniband": of_constants(lambda constants: ranks_model.scaling_table(constants, "infiniband", PER_NODE)),
    "ranks-constants": lambda: ranks_model.constants_table(CONSTANTS),
    "ranks-errors": of_constants(lambda constants: ranks_model.errors_table(SAMPLES, constants)),
}
