/** Where the build copies the messages, so that the package needs nothing outside itself. */
export const MESSAGES_FOLDER = new URL('./messages/', import.meta.url)
