/** The script of /docs: a search box that needs no network. Without it the page shows everything. */
export const DOCS_SCRIPT = `'use strict'
{
  const box = document.getElementById('search')
  const nothing = document.getElementById('nothing')
  const operations = [...document.querySelectorAll('article.operation')]
  const groups = [...document.querySelectorAll('.group')]
  const items = new Map([...document.querySelectorAll('[data-for]')].map((item) => [item.dataset.for, item]))
  box.closest('label').hidden = false

  const show = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let found = 0
    for (const operation of operations) {
      const fits = words.every((word) => operation.dataset.words.includes(word))
      operation.hidden = !fits
      const item = items.get(operation.id)
      if (item) item.hidden = !fits
      if (fits) found += 1
    }
    for (const group of groups) group.hidden = !group.querySelector('article:not([hidden]), li:not([hidden])')
    document.body.classList.toggle('searching', words.length > 0)
    nothing.hidden = found > 0
  }
  box.addEventListener('input', show)

  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      box.focus()
      box.select()
    }
    if (event.key === 'Escape' && document.activeElement === box) {
      box.value = ''
      show()
    }
    if (event.key === 'Enter' && document.activeElement === box) {
      const first = operations.find((operation) => !operation.hidden)
      if (first) location.hash = first.id
    }
  })

  // On a small screen the list would stand before everything else.
  const list = document.querySelector('nav details')
  const narrow = matchMedia('(max-width: 900px)')
  const fold = () => { list.open = !narrow.matches }
  narrow.addEventListener('change', fold)
  fold()
  list.addEventListener('click', (event) => {
    if (narrow.matches && event.target.closest('a')) list.open = false
  })

  // A link to a schema opens it.
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target instanceof HTMLDetailsElement) target.open = true
    if (target && target.hidden) { box.value = ''; show(); target.scrollIntoView() }
  }
  addEventListener('hashchange', open)
  open()
  show()
}
`
