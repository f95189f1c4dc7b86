import { describe, expect, test } from 'vitest'
import { printStatsOf, type PrintStats } from './objects.js'
import { printEvents } from './print-events.js'

const stats = (state: PrintStats['state'], seconds = 10, filename = 'a.gcode'): PrintStats =>
  printStatsOf({ print_stats: { state, total_duration: seconds, filename: state === 'standby' ? '' : filename } })

describe('between two looks', () => {
  test.each([
    { name: 'nothing', from: stats('standby', 0), to: stats('standby', 0), events: [] },
    { name: 'a start', from: stats('standby', 0), to: stats('printing', 0.2), events: ['started'] },
    { name: 'a start after a print', from: stats('complete'), to: stats('printing', 0.2), events: ['started'] },
    { name: 'printing on', from: stats('printing'), to: stats('printing', 11), events: [] },
    { name: 'a pause', from: stats('printing'), to: stats('paused', 11), events: ['paused'] },
    { name: 'a resume', from: stats('paused'), to: stats('printing', 11), events: ['resumed'] },
    { name: 'the end', from: stats('printing'), to: stats('complete', 11), events: ['done'] },
    { name: 'a cancel', from: stats('paused'), to: stats('cancelled', 11), events: ['cancelled'] },
    { name: 'an error', from: stats('printing'), to: stats('error', 11), events: ['failed'] },
    {
      name: 'a file that is unloaded while it is printed',
      from: stats('printing'),
      to: stats('standby', 0),
      events: ['cancelled'],
    },
    { name: 'a file that is unloaded afterwards', from: stats('complete'), to: stats('standby', 0), events: [] },
    {
      name: 'a start that is paused at once',
      from: stats('standby', 0),
      to: stats('paused', 0.2),
      events: ['started', 'paused'],
    },
    { name: 'a whole short print', from: stats('standby', 0), to: stats('complete', 0.2), events: ['started', 'done'] },
    {
      name: 'the same short print again',
      from: stats('complete', 0.2),
      to: stats('complete', 0.3),
      events: ['started', 'done'],
    },
    { name: 'rest after the end', from: stats('complete'), to: stats('complete'), events: [] },
    {
      name: 'another file in place of this one',
      from: stats('printing'),
      to: stats('printing', 0.2, 'b.gcode'),
      events: ['started'],
    },
    { name: 'the same file from its start', from: stats('printing'), to: stats('printing', 0.2), events: ['started'] },
  ])('$name', ({ from, to, events }) => {
    expect(printEvents(from, to)).toEqual(events)
  })
})
