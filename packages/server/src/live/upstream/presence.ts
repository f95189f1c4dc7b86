/** A browser that says nothing for this long is taken to be looked at by nobody (wire facts, section 3.6). */
export const PRESENCE_MS = 120_000

/** A browser that says it is there is told everything again when it was told nothing for this long. */
export const REFRESH_MS = 45_000

/** Whether somebody is taken to look at this browser now. */
export const isPresent = (heardAt: number, now: number): boolean => now - heardAt < PRESENCE_MS

/** Whether a browser that says it is there is owed the printer once more. */
export const isRefreshDue = (pushedAt: number, now: number): boolean => now - pushedAt > REFRESH_MS
