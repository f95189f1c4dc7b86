const DAY_MS = 24 * 3_600_000

/** How long a session lives after its last day of use. */
export const SESSION_LIFETIME_MS = 60 * DAY_MS

/** How often the end of a session in use is moved. */
export const SESSION_REFRESH_MS = DAY_MS

/** How long browsers keep the cookie, the longest that they allow: the end of the session is the server's to know. */
export const COOKIE_LIFETIME_SECONDS = (400 * DAY_MS) / 1000
