"""The only module that imports matplotlib, for plots.

Matplotlib's modules import each other in circles, and threads that begin at different places see half-loaded modules.
The import takes a second, so import this module only where something is drawn.
"""

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter

__all__ = [
    "Figure",
    "FigureCanvasSVG",
    "FuncFormatter",
    "LinearSegmentedColormap",
    "MaxNLocator",
    "Rectangle",
    "ScalarFormatter",
    "mpl",
]
