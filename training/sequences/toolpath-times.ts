/** Seconds after a failure began at which a print drawn from its toolpath is looked at. */
export const AFTER = [15, 40, 80, 130, 200, 300, 450, 700, 1100, 1800, 2700]
/** Its failures grow this long; a level is a share of it. */
export const TOOLPATH_GROWTH_MS = 2_700_000
