#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the register tables of include/nvdlac/hw from two CSV files, one for each register map.

Both files have the columns unit, register, address, field, msb, lsb, values; the one of the small
map has access and reset of each field, the one of the full map reset and write_mask of each
register. The names of enumerated values are taken from either file.

usage: generate_registers.py SMALL.csv FULL.csv [DIRECTORY]
"""
import csv
import pathlib
import sys
from collections import namedtuple

Field = namedtuple("Field", "name msb lsb reset values")
Register = namedtuple("Register", "unit name address access write_mask fields")

# The public register list writes the other values of these enumerations in a notation of their
# own, so that the files name only the first one.
COMPLETE = {
    ("NO",): ("NO", "YES"), ("OFF",): ("OFF", "ON"), ("LE",): ("LE", "LO"),
    ("READ",): ("READ", "WRITE"), ("MEM",): ("MEM", "PDP"), ("EXPONENT",): ("EXPONENT", "LINEAR"),
    ("ON_FLYING",): ("ON_FLYING", "OFF_FLYING"), ("CV",): ("CV", "MC"),
    ("LEN3",): ("LEN3", "LEN5", "LEN7", "LEN9"),
}
# One name for one thing: the units spell the two memories differently.
RENAME = {"CVIF": "CV", "CVSRAM": "CV", "MCIF": "MC"}


def normalised(field, text):
    """The enumerated values of a field as ((name, value), ...), with short names."""
    pairs = []
    for item in filter(None, text.split(";")):
        name, value = item.split("=")
        name = name.removeprefix(field + "_")
        if field == "PIXEL_FORMAT":
            name = name.removeprefix("T_").removesuffix("_N444").replace("___", "_")
        pairs.append((RENAME.get(name, name), int(value, 0)))
    complete = COMPLETE.get(tuple(name for name, _ in pairs))
    return tuple((n, i) for i, n in enumerate(complete)) if complete else tuple(pairs)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def key(row):
    return row["unit"], row["register"], row["field"]


def registers(rows, values, accesses):
    grouped = {}
    for row in rows:
        grouped.setdefault((int(row["address"], 0), row["unit"], row["register"]), []).append(row)
    for (address, unit, name), group in sorted(grouped.items()):
        fields, mask, access = [], 0, set()
        for row in sorted(group, key=lambda r: int(r["lsb"])):
            msb, lsb = int(row["msb"]), int(row["lsb"])
            ones = (1 << (msb - lsb + 1)) - 1
            reset = int(row["reset"], 0)
            if "write_mask" in row:  # then the reset is that of the whole register
                reset = reset >> lsb & ones
            access.update(accesses[key(row)])
            if "w" in accesses[key(row)]:
                mask |= ones << lsb
            fields.append(Field(row["field"], msb, lsb, reset, values[key(row)]))
        yield Register(unit, name, address, "rw" if len(access) == 2 else access.pop(), mask,
                       tuple(fields))


def wrapped(head, items, tail):
    """One declaration, broken before column 100."""
    lines, line = [], head
    for i, item in enumerate(items):
        item += "," if i + 1 < len(items) else tail
        if len(line) + 1 + len(item) > 100:
            lines.append(line)
            line = "    " + item
        else:
            line += item if line.endswith("{") else " " + item
    return "\n".join(lines + [line]) + "\n"


class Pool:
    """Arrays that several registers share, each under the name of its first use."""

    def __init__(self):
        self.names, self.taken, self.text = {}, set(), ""

    def add(self, content, name, declare):
        if content not in self.names:
            while name in self.taken:
                name += "_"
            self.names[content] = name
            self.taken.add(name)
            self.text += declare(name)
        return self.names[content]


def header(include, body, what):
    return (f"// SPDX-License-Identifier: Apache-2.0\n#pragma once\n// {what}\n"
            f"// Written by tools/generate_registers.py.\n{include}\n"
            f"namespace nvdlac::hw::detail {{\n\nusing namespace std::string_view_literals;\n\n"
            f"{body}\n}}  // namespace nvdlac::hw::detail\n")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent.parent / "include/nvdlac/hw"
    out = pathlib.Path(sys.argv[3]) if len(sys.argv) == 4 else here
    maps = {"small": rows_of(sys.argv[1]), "full": rows_of(sys.argv[2])}
    values, accesses = {}, {}
    for row in maps["full"] + maps["small"]:
        values[key(row)] = normalised(row["field"], row["values"]) or values.get(key(row), ())
        if "access" in row:
            accesses[key(row)] = row["access"]
    enumerations, arrays = Pool(), Pool()

    def enumeration(pairs):
        if not pairs:
            return "{}"
        few = len(pairs) < 5
        name = "_".join(n for n, _ in pairs) if few else f"{pairs[0][0]}_to_{pairs[-1][0]}"
        return enumerations.add(pairs, "values_" + name.lower(), lambda n: wrapped(
            f"inline constexpr enumerator {n}[]{{", [f'{{"{a}"sv, {v}}}' for a, v in pairs], "};"))

    tables = {}
    for map_name, rows in maps.items():
        regs = list(registers(rows, values, accesses))
        body, units = f"inline constexpr reg registers_{map_name}[]{{\n", []
        for i, r in enumerate(regs):
            name = arrays.add(r.fields, f"{r.unit}_{r.name}_fields".lower(), lambda n: wrapped(
                f"inline constexpr field {n}[]{{",
                [f'{{"{f.name}"sv, {f.msb}, {f.lsb}, {f.reset:#x}, {enumeration(f.values)}}}'
                 for f in r.fields], "};"))
            body += (f'    {{"{r.unit}"sv, "{r.name}"sv, {r.address:#x}, access::{r.access},'
                     f" {r.write_mask:#x},\n     {name}}},\n")
            if not units or units[-1][0] != r.unit:
                units.append([r.unit, i, 0])
            units[-1][2] += 1
        body += "};\n\n" + wrapped(f"inline constexpr unit units_{map_name}[]{{",
                                  [f'{{"{u}"sv, {first}, {n}}}' for u, first, n in units], "};")
        tables[map_name] = body
    include = "#include <nvdlac/hw/register_types.hpp>\n"
    (out / "registers_fields.hpp").write_text(header(
        include, enumerations.text + "\n" + arrays.text,
        "The fields of the registers; registers that look alike share them."))
    for map_name, body in tables.items():
        (out / f"registers_{map_name}.hpp").write_text(header(
            "#include <nvdlac/hw/registers_fields.hpp>\n", body,
            f"The registers of the {map_name} map in the order of their addresses."))


if __name__ == "__main__":
    main()
