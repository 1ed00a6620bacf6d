"""Judges series with Apache Otava: lines of numbers in, lines of alarms and lists out.

Each line of the input is `history v0 v1 …`. For each commit from `history` on, the series up to it is analysed anew, as
`otava analyze` does, with Otava's own defaults. A line of the output is the new and the listed change points of one series:
`raised:index:sign;…`, where `raised` is the first commit at which a change point at that index was reported, then `|`, then
`commit:index,…` for the change points that were reported at each commit.
"""

import sys
import warnings

warnings.filterwarnings("ignore")

from otava.analysis import compute_change_points  # noqa: E402
from otava.series import AnalysisOptions  # noqa: E402


def main():
    options = AnalysisOptions()
    for line in sys.stdin:
        words = line.split()
        history, values = int(words[0]), [float(word) for word in words[1:]]
        news, lists, known = [], [], set()
        for end in range(history + 1, len(values) + 1):
            points, _ = compute_change_points(
                values[:end],
                window_len=options.window_len,
                max_pvalue=options.max_pvalue,
                min_magnitude=options.min_magnitude,
            )
            commit = end - 1
            for point in points:
                # A change point that moves by up to three commits is the same one.
                if not any(abs(point.index - other) <= 3 for other in known):
                    sign = 1 if point.stats.mean_2 > point.stats.mean_1 else -1
                    # Change points of the history alone were reported before judging began.
                    if commit > history or point.index >= history:
                        news.append(f"{commit}:{point.index}:{sign}")
                known.add(int(point.index))
            lists.append(",".join(str(int(point.index)) for point in points))
        print(";".join(news) + "|" + ";".join(lists), flush=True)


main()
