"""The ops that are not elementwise, and those that no combination can show."""

import control
import memory
import tiles
import views

ALL = [*tiles.ALL, *memory.ALL, *views.ALL, *control.ALL]
NOT_COVERED = {"preview$call": "what it calls is machine code of a tile library that is not there"}
