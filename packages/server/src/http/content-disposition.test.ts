import { expect, test } from 'vitest'
import { attachmentHeader } from './content-disposition.js'

test.each([
  { name: undefined, header: 'attachment' },
  { name: 'boat.gcode', header: `attachment; filename="boat.gcode"; filename*=UTF-8''boat.gcode` },
  {
    name: 'Großer Turm.gcode',
    header: `attachment; filename="Gro_er Turm.gcode"; filename*=UTF-8''Gro%C3%9Fer%20Turm.gcode`,
  },
  {
    name: 'a";\r\nX-Evil: 1.gcode',
    header: `attachment; filename="a____X-Evil_ 1.gcode"; filename*=UTF-8''a%22%3B__X-Evil%3A%201.gcode`,
  },
  {
    name: "it's (1)*.gcode",
    header: `attachment; filename="it_s (1)_.gcode"; filename*=UTF-8''it%27s%20%281%29%2A.gcode`,
  },
  { name: '\uD800.gcode', header: `attachment; filename="_.gcode"; filename*=UTF-8''_.gcode` },
])('the name $name', ({ name, header }) => {
  expect(attachmentHeader(name)).toBe(header)
  expect(header).toMatch(/^[\x20-\x7E]*$/)
})
