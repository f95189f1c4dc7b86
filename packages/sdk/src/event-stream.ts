/** One server-sent event: its name, `message` unless it was given another, and its data. */
export interface ServerSentEvent {
  readonly name: string
  readonly data: string
}

const LINE_END = /\r\n|\r|\n/

/**
 * Reads the text of an event stream, which may be cut anywhere, as the standard says. Each call takes what came and gives the events
 * that are whole by now; one that is not ended by an empty line is none.
 */
export function eventReader(): (text: string) => ServerSentEvent[] {
  let line = ''
  let name = ''
  let data: string[] = []
  let endedInCr = false

  function read(field: string): ServerSentEvent | undefined {
    if (field === '') return dispatch()
    const colon = field.indexOf(':')
    const key = colon === -1 ? field : field.slice(0, colon)
    const value = colon === -1 ? '' : field.slice(colon + 1).replace(/^ /, '')
    if (key === 'event') name = value
    else if (key === 'data') data.push(value)
    return undefined
  }

  function dispatch(): ServerSentEvent | undefined {
    const event = data.length === 0 ? undefined : { name: name || 'message', data: data.join('\n') }
    name = ''
    data = []
    return event
  }

  return (text) => {
    if (text === '') return []
    // The line was ended by the first half of this pair already.
    const rest = endedInCr && text.startsWith('\n') ? text.slice(1) : text
    endedInCr = text.endsWith('\r')
    const [first = '', ...more] = rest.split(LINE_END)
    const lines = [line + first, ...more]
    line = lines.pop() ?? ''
    return lines.map(read).filter((event) => event !== undefined)
  }
}
