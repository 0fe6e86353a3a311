"""A plugin of pytest: SciPy's tests of filters, and its functions that filter, with mmscan.lfilter in place of its own.
What mmscan leaves to SciPy still gets that."""

import scipy.signal
import scipy.signal._signaltools
import scipy.signal.tests.test_signaltools

import mmscan

scipy.signal._signaltools.lfilter = mmscan.lfilter
scipy.signal.tests.test_signaltools.lfilter = mmscan.lfilter
