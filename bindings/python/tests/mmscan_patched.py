"""A plugin of pytest: runs tests with numpy.cumsum and its kin by mmscan, those of NumPy too. `from numpy import cumsum`
in a test gets the patched one, as plugins are loaded first."""

import mmscan

mmscan.patch_numpy()
