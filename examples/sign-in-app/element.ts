/** The element of the page with this id. */
export function element<E extends HTMLElement>(id: string, type: abstract new () => E): E {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`)
  return found
}
