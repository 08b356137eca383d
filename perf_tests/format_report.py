#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What y = A x takes in each storage format, from result files of `araios-bench spmv --impl ... --json FILE`.

  format_report.py [--bandwidth GB/s] [--svg-histogram PLOT.svg] [--svg-fill PLOT.svg] [--scalar double|float]
                   RESULTS.json...

Prints tables in Markdown: the times, GFLOP/s and speed-ups over CRS as in the RgCSR paper (Oberhuber, Suzuki, Vacata
2011), and RgCSR against cuSPARSE, CRS and a byte limit. The plots show one scalar type.
Results that failed or are wrong are listed first and count as missing; of results measured twice the last counts.
Only the standard library is needed.
"""
import argparse
from html import escape
import json
import math
from statistics import fmean, geometric_mean
import sys

COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759"]
SMALL = 10000  # rows
GROUPS = (32, 64, 128, 256)
RGCSR = {"araios_rgcsr": "RgCSR", **{f"araios_rgcsr_{group}": f"RgCSR {group}" for group in GROUPS}}
PRODUCTS = {  # implementation, schedule asked for: name in the tables
    "araios thread_mapped": "CSR scalar", "araios warp_mapped:32": "CSR vector", "araios automatic": "CRS automatic",
    **RGCSR, "araios_hyb": "HYB", "araios_ell": "ELL", "araios_sliced_ell": "sliced ELL",
    "araios_sell_sorted": "sorted SELL", "araios_bcsr_4": "BCSR 4", "araios_coo": "COO", "araios_dia": "DIA",
    "cusparse": "cuSPARSE CSR", "cusparse_alg2": "cuSPARSE CSR 2", "cusparse_sell": "cuSPARSE SELL"}
CONVERSION = "to RgCSR"
LABELS = {**PRODUCTS, "araios_to_rgcsr": CONVERSION}


def read(paths):
    """{scalar: {matrix: {label: seconds}}}, {(matrix, label): artificial zeros over entries},
    {matrix: (rows, entries)} and what failed, a line each."""
    times, fill, sizes, failures = {}, {}, {}, []
    for path in paths:
        with open(path) as file:
            results = json.load(file)["results"]
        for r in results:
            name = LABELS.get(f"{r['implementation']} {r['schedule_asked']}".strip())
            if name is None:
                continue
            row = times.setdefault(r["scalar"], {}).setdefault(r["matrix"], {})
            sizes[r["matrix"]] = (r["rows"], r["nnz"])
            if r["median_s"] and r["verified"]:
                row[name] = r["median_s"]
                if r.get("fill") is not None:
                    fill[r["matrix"], name] = r["fill"]
            else:
                failures.append(f"- {r['matrix']}, {name}, {r['scalar']}: {r['verification']}")
    return times, fill, sizes, failures


def present(table):
    """The labels with a time in the table, in a fixed order; the conversion is not among them."""
    return [name for name in PRODUCTS.values() if any(name in row for row in table.values())]


def fastest(row, names):
    return min((row[name] for name in names if name in row), default=None)


def speedups(table, names, baseline):
    """{matrix: time of the baseline over that of the fastest of the names}."""
    return {matrix: row[baseline] / fastest(row, names) for matrix, row in table.items()
            if baseline in row and fastest(row, names)}


def number(value, factor=1):
    return "-" if value is None else f"{factor * value:.4g}"


def spread(values, *more):
    """Cells: how many, their minimum, mean and maximum, and what else is asked for."""
    if not values:
        return ["0"] + ["-"] * (3 + len(more))
    return [str(len(values))] + [number(f(values)) for f in (min, fmean, max, *more)]


def print_table(title, head, rows):
    if not rows:
        return
    print(f"\n## {title}\n")
    for cells in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(cells) + " |")


def print_times(scalar, table):
    names = present(table)
    rows = []
    for matrix, row in table.items():
        best = fastest(row, names)
        cells = {name: number(row.get(name), 1e3) for name in [*names, CONVERSION]}
        rows.append([matrix, *(f"**{c}**" if best and row.get(name) == best else c for name, c in cells.items())])
    print_table(f"Milliseconds, {scalar}", ["matrix", *names, CONVERSION], rows)


def print_by_size(title, values, sizes, *more):
    """A row for each format, columns for small and for large matrices; values: {label: {matrix: value}}."""
    columns = ["matrices", "min", "mean", "max"] + ["geometric mean"] * len(more)
    head = ["format"] + [f"{kind}: {column}" for kind in ("small", "large") for column in columns]
    rows = []
    for name, of in values.items():
        small, large = ([v for m, v in of.items() if (sizes[m][0] < SMALL) == is_small] for is_small in (True, False))
        rows.append([name, *spread(small, *more), *spread(large, *more)])
    print_table(f"{title} (small: fewer than {SMALL:,} rows)", head, rows)


def print_paper(scalar, table, sizes):
    names = present(table)
    rates = {name: {m: 2e-9 * sizes[m][1] / row[name] for m, row in table.items() if name in row} for name in names}
    print_by_size(f"GFLOP/s, {scalar}", rates, sizes)
    for baseline in ("CSR scalar", "CSR vector"):
        if baseline in names:
            over = {name: speedups(table, [name], baseline) for name in names if name != baseline}
            print_by_size(f"Speed-up over {baseline}, {scalar}", over, sizes, geometric_mean)


def percent_of_limit(scalar, table, sizes, bandwidth):
    entry, row_bytes = (12, 20) if scalar == "double" else (8, 12)
    return {matrix: 100 * (entry * sizes[matrix][1] + row_bytes * sizes[matrix][0]) / (1e9 * bandwidth * row["RgCSR"])
            for matrix, row in table.items() if "RgCSR" in row}


def print_ratios(scalar, table, sizes, bandwidth):
    sell = {}
    for matrix, value in speedups(table, ["RgCSR"], "cuSPARSE SELL").items():
        csr = fastest(table[matrix], ["cuSPARSE CSR", "cuSPARSE CSR 2"])
        if csr and table[matrix]["cuSPARSE SELL"] < csr:
            sell[matrix] = value
    ratios = {"speed-up over cuSPARSE SELL where that beats cuSPARSE's CSR": sell,
              "speed-up over CRS automatic": speedups(table, ["RgCSR"], "CRS automatic"),
              "conversion over product": speedups(table, ["RgCSR"], CONVERSION),
              f"% of the limit at {bandwidth:g} GB/s": percent_of_limit(scalar, table, sizes, bandwidth)}
    matrices = [matrix for matrix in table if any(matrix in of for of in ratios.values())]
    rows = [[matrix, *(number(of.get(matrix)) for of in ratios.values())] for matrix in matrices]
    print_table(f"RgCSR by default, {scalar}", ["matrix", *ratios], rows)
    rows = [[name, str(len(of)), number(geometric_mean(of.values())),
             *(f"{number(of[m])} ({m})" for m in (min(of, key=of.get), max(of, key=of.get)))]
            for name, of in ratios.items() if of]
    print_table(f"RgCSR by default, in short, {scalar}",
                ["ratio", "matrices", "geometric mean", "lowest", "highest"], rows)


def scale(ticks, first, last):
    low, high = min(ticks), max(ticks)
    return lambda value: first + (value - low) / (high - low) * (last - first)


class Plot:
    """An SVG plot with linear axes from the first to the last of the ticks, {value: text}."""
    LEFT, RIGHT, TOP, BOTTOM = 70, 690, 40, 530

    def __init__(self, x_name, x_ticks, y_name, y_ticks):
        left, right, top, bottom = self.LEFT, self.RIGHT, self.TOP, self.BOTTOM
        self.x, self.y = scale(x_ticks, left, right), scale(y_ticks, bottom, top)
        self.out = ['<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600" '
                    'font-family="sans-serif" font-size="12">', '<rect width="900" height="600" fill="white"/>']
        for at, text in ((self.x(value), text) for value, text in x_ticks.items()):
            self.out += [f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" stroke="#ddd"/>',
                         f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>']
        for at, text in ((self.y(value), text) for value, text in y_ticks.items()):
            self.out += [f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="#ddd"/>',
                         f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{text}</text>']
        self.out += [f'<text x="380" y="{bottom + 45}" text-anchor="middle">{x_name}</text>',
                     f'<text x="20" y="285" transform="rotate(-90 20 285)" text-anchor="middle">{y_name}</text>']

    def write(self, path, names):
        for position, name in enumerate(names):
            at = self.TOP + 18 * position
            self.out += [f'<circle cx="{self.RIGHT + 14}" cy="{at}" r="4" fill="{COLOURS[position]}"/>',
                         f'<text x="{self.RIGHT + 24}" y="{at + 4}">{name}</text>']
        with open(path, "w") as file:
            file.write("\n".join([*self.out, "</svg>"]) + "\n")


def powers_of_two(logarithms):
    """Ticks from below the least to above the greatest of the logarithms."""
    if not logarithms:
        sys.exit("no results to draw")
    low, high = math.floor(min(logarithms)), math.floor(max(logarithms)) + 1
    return {power: f"{2.0 ** power:g}" for power in range(low, high + 1)}


def draw_histogram(path, table, scalar):
    series = {"RgCSR over CRS automatic": speedups(table, ["RgCSR"], "CRS automatic"),
              "best RgCSR over CSR vector": speedups(table, RGCSR.values(), "CSR vector")}
    logarithms = {name: [math.log2(value) for value in of.values()] for name, of in series.items()}
    ticks = powers_of_two(sum(logarithms.values(), []))
    bins = {name: [math.floor(4 * value) for value in of] for name, of in logarithms.items()}
    highest = max(of.count(b) for of in bins.values() for b in of)
    step = math.ceil(highest / 10)
    plot = Plot(f"speed-up, {scalar} (bins of 1/4 in log2)", ticks, "matrices",
                {count: str(count) for count in range(0, highest + step, step)})
    width = (plot.x(0.25) - plot.x(0)) / len(bins)
    for position, of in enumerate(bins.values()):
        for b in sorted(set(of)):
            left, top = plot.x(b / 4) + position * width, plot.y(of.count(b))
            plot.out.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{0.9 * width:.1f}" '
                            f'height="{plot.y(0) - top:.1f}" fill="{COLOURS[position]}"/>')
    plot.write(path, bins)


def draw_fill(path, table, scalar, fill):
    points = []
    for group in GROUPS:
        for matrix, over in speedups(table, [f"RgCSR {group}"], "CRS automatic").items():
            if (matrix, f"RgCSR {group}") in fill:
                points.append((matrix, group, math.log2(1 + fill[matrix, f"RgCSR {group}"]), math.log2(over)))
    plot = Plot("1 + fill: slots over entries", powers_of_two([p[2] for p in points]),
                f"speed-up over CRS automatic, {scalar}", powers_of_two([p[3] for p in points]))
    for matrix, group, x, y in points:
        plot.out.append(f'<circle cx="{plot.x(x):.1f}" cy="{plot.y(y):.1f}" r="4" fill-opacity="0.7" '
                        f'fill="{COLOURS[GROUPS.index(group)]}"><title>{escape(matrix)}, {group}</title></circle>')
    plot.write(path, [f"groups of {group}" for group in GROUPS])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--bandwidth", type=float, default=4240.0, help="GB/s of the byte limit")
    parser.add_argument("--svg-histogram")
    parser.add_argument("--svg-fill")
    parser.add_argument("--scalar", choices=("double", "float"), default="double", help="what the plots show")
    arguments = parser.parse_args()
    times, fill, sizes, failures = read(arguments.results)
    print("# Storage formats")
    if failures:
        print("\nFailed or wrong, left out:\n", *failures, sep="\n")
    for scalar, table in times.items():
        print_times(scalar, table)
        print_paper(scalar, table, sizes)
        print_ratios(scalar, table, sizes, arguments.bandwidth)
    drawn = times.get(arguments.scalar, {})
    if arguments.svg_histogram:
        draw_histogram(arguments.svg_histogram, drawn, arguments.scalar)
    if arguments.svg_fill:
        draw_fill(arguments.svg_fill, drawn, arguments.scalar, fill)


if __name__ == "__main__":
    main()
