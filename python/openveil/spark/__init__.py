"""Publishes tables of Spark where the data are stored, using only DataFrames.

Runs on Spark 4 (classic or Connect), on services built on it, and on Sail. Executors need this
package in the same version, and pyarrow::

    import openveil as ov
    import openveil.spark

    release = ov.spark.publish(
        people, known=["age", "sex", "zip"], secret="diagnosis", model=ov.l_diversity(8),
        to="/data/out",
    )
    print(release.guarantee.statement)
"""

from ._audit import audit
from ._publish import publish
from ._release import Release, read_release

__all__ = ["Release", "audit", "publish", "read_release"]
