/** Where the messages are in the repository, shared with the tests of other programs. */
export const MESSAGES_FOLDER = new URL('../../fixtures/messages/', import.meta.url)
