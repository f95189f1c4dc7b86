/** What a browser says while a key goes to the choice of a character, also where it does not say that one is being composed (Safari). */
const KEY_OF_CHOICE = 229

/** Whether a key in the field for questions sends: Enter does, but not with Shift, nor one that ends the choice of a character. */
export function isSendKey(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'isComposing'> & { readonly keyCode: number },
): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== KEY_OF_CHOICE
}
