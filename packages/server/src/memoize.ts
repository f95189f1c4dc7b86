/**
 * The same function, which remembers what it made of a text, or of a number: for those that come again and again, such as a row's JSON.
 * What it gives is shared, so nobody changes it.
 *
 * @param most how many are remembered; then all are forgotten, which costs less than keeping track of their age
 */
export function memoizeByText<Made, Text extends string | number = string>(
  make: (text: Text) => Made,
  most: number,
): (text: Text) => Made {
  const known = new Map<Text, Made>()
  return (text) => {
    const kept = known.get(text)
    if (kept !== undefined) return kept
    const made = make(text)
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}

/**
 * The same for objects that are handed in again and again and never changed: forgotten together with the object. Nothing at all comes
 * again and again too.
 */
export function memoizeByObject<Made, Value = unknown>(make: (value: Value) => Made): (value: Value) => Made {
  const known = new WeakMap<object, { readonly made: Made }>()
  let ofNothing: { readonly made: Made } | undefined
  return (value) => {
    if (value === undefined) return (ofNothing ??= { made: make(value) }).made
    if (typeof value !== 'object' || value === null) return make(value)
    const kept = known.get(value)
    if (kept !== undefined) return kept.made
    const made = make(value)
    known.set(value, { made })
    return made
  }
}
