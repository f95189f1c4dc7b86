/** The model that the fake says it has. */
export const FAKE_MODEL = 'fake'
