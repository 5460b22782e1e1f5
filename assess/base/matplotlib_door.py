"""What plots take of matplotlib. Its modules import each other in rings, and threads that enter it at different places
find half a module: so this is the one door. It takes a second to open: import it where something is drawn.
"""

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

__all__ = ["Figure", "FigureCanvasSVG", "FuncFormatter", "LinearSegmentedColormap", "MaxNLocator", "Rectangle", "mpl"]
