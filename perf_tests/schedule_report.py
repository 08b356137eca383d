#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What each schedule takes, from result files of `araios-bench spmv --impl araios --schedule ...`.

  schedule_report.py [--svg PLOT.svg] RESULTS.json...

Prints a table in Markdown: the time of every schedule for each matrix, what `automatic` and `loops` (the rule of the
loops paper) picked, and their regret, that is how much longer the pick takes than the best schedule measured. With
--svg it draws time over entries, one mark for each matrix and schedule, in the manner of that paper.
Only the standard library is needed.
"""
import argparse
import json
import math
import sys

COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948"]
RULES = ("automatic", "loops")


def read(paths):
    """{matrix: {schedule asked for: (milliseconds, schedule picked)}} and {matrix: entries}."""
    times, entries = {}, {}
    for path in paths:
        with open(path) as file:
            for r in json.load(file)["results"]:
                if r["median_s"] is None or r["implementation"] != "araios":
                    continue
                times.setdefault(r["matrix"], {})[r["schedule_asked"]] = (1e3 * r["median_s"], r["schedule"])
                entries[r["matrix"]] = r["nnz"]
    return times, entries


def print_table(times):
    names = []
    for row in times.values():
        names += [name for name in row if name not in names]
    fixed = [name for name in names if name not in RULES]
    rules = [name for name in RULES if name in names]
    print("| matrix | " + " | ".join(fixed) + "".join(f" | {r}: pick, regret" for r in rules) + " |")
    print("|" + "---|" * (1 + len(fixed) + len(rules)))
    regrets = {rule: [] for rule in rules}
    for matrix, row in times.items():
        best = min((row[name][0] for name in fixed if name in row), default=math.nan)
        cells = []
        for name in fixed:
            text = f"{row[name][0]:.4g}" if name in row else "-"
            cells.append(f"**{text}**" if name in row and row[name][0] == best else text)
        for rule in rules:
            if rule not in row:
                cells.append("-")
                continue
            time, pick = row[rule]
            regrets[rule].append(max(0.0, time / best - 1.0))
            cells.append(f"{pick} {100 * regrets[rule][-1]:.0f} %")
        print(f"| {matrix} | " + " | ".join(cells) + " |")
    for rule, values in regrets.items():
        if values:
            mean = 100 * sum(values) / len(values)
            print(f"\n{rule}: regret {mean:.1f} % in the mean, {100 * max(values):.0f} % at most")


def draw(path, times, entries):
    width, height, margin = 900, 600, 70
    names = []
    for row in times.values():
        names += [n for n in row if n not in names and n not in RULES]
    points = [(name, entries[m], row[name][0]) for m, row in times.items() for name in names if name in row]
    if not points:
        sys.exit("no results to draw")
    low_x, high_x = (f(math.log10(max(1, p[1])) for p in points) for f in (min, max))
    low_y, high_y = (f(math.log10(p[2]) for p in points) for f in (min, max))
    low_x, low_y, high_x, high_y = math.floor(low_x), math.floor(low_y), math.ceil(high_x), math.ceil(high_y)

    def x(value):
        return margin + (math.log10(max(1, value)) - low_x) / max(1, high_x - low_x) * (width - 3 * margin)

    def y(value):
        return height - margin - (math.log10(value) - low_y) / max(1, high_y - low_y) * (height - 2 * margin)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(low_x, high_x + 1):
        at = x(10.0 ** power)
        out.append(f'<line x1="{at:.1f}" y1="{margin}" x2="{at:.1f}" y2="{height - margin}" stroke="#ddd"/>')
        out.append(f'<text x="{at:.1f}" y="{height - margin + 18}" text-anchor="middle">1e{power}</text>')
    for power in range(low_y, high_y + 1):
        at = y(10.0 ** power)
        out.append(f'<line x1="{margin}" y1="{at:.1f}" x2="{width - 2 * margin}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{margin - 8}" y="{at + 4:.1f}" text-anchor="end">1e{power}</text>')
    out.append(f'<text x="{width / 2 - margin / 2}" y="{height - 20}" text-anchor="middle">entries</text>')
    out.append(f'<text x="20" y="{height / 2}" transform="rotate(-90 20 {height / 2})" '
               'text-anchor="middle">milliseconds of y = A x</text>')
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        for other, nnz, time in points:
            if other == name:
                out.append(f'<circle cx="{x(nnz):.1f}" cy="{y(time):.1f}" r="3" fill="{colour}" fill-opacity="0.7"/>')
        at = margin + 18 * number
        out.append(f'<circle cx="{width - 2 * margin + 14}" cy="{at}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{width - 2 * margin + 24}" y="{at + 4}">{name}</text>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    times, entries = read(arguments.results)
    print_table(times)
    if arguments.svg:
        draw(arguments.svg, times, entries)


if __name__ == "__main__":
    main()
