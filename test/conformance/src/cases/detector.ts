import { FoundFailures } from '#protocol'
import { z } from 'zod'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import type { Answer } from '../http.js'
import { SMALL_JPEG } from '../pictures.js'
import type { Case } from '../run.js'

const OURS = { group: 'decisions', section: 'decision 23' } as const

/** The detector looks at a whole picture, on a machine that may be busy. */
const DETECTION_MS = 60_000

const PICTURE = { body: SMALL_JPEG, headers: { 'content-type': 'image/jpeg' } }

const NothingFound = z.looseObject({ detections: z.tuple([]), message: z.string().min(1) })

function expectNothingFound({ request, text }: Answer): void {
  const isSaid = NothingFound.safeParse(JSON.parse(text)).success
  expectTrue(isSaid, `${request} answers no empty detections with a message: ${text}`)
}

export const detectorCases: readonly Case[] = [
  {
    ...OURS,
    id: 'detector/picture',
    title: 'POST /p/ looks at the picture in the body, and at one in a form, and answers the detections',
    timeoutMs: DETECTION_MS,
    async run(ctx) {
      const form = new FormData()
      form.set('img', new Blob([SMALL_JPEG], { type: 'image/jpeg' }), 'a.jpg')
      for (const sent of [PICTURE, { body: form }]) {
        const { detections } = expectBody(await ctx.owner.send('POST', '/p/', sent), FoundFailures)
        for (const [label, confidence] of detections) {
          expectEqual(label, 'failure', 'the label')
          expectTrue(confidence > 0.08 && confidence <= 1, `the confidence is ${confidence}`)
        }
      }
    },
  },
  {
    ...OURS,
    id: 'detector/no-picture',
    title: 'POST /p/ with what is no picture is 400, with no detections and a message',
    timeoutMs: DETECTION_MS,
    async run(ctx) {
      const answer = await ctx.owner.send('POST', '/p/', { ...PICTURE, body: 'no picture' })
      expectProblem(answer, 400, 'invalid_image')
      expectNothingFound(answer)
    },
  },
  {
    ...OURS,
    id: 'detector/no-address',
    title: 'GET /p/ without img, or with one that is no address, is 400, with no detections and a message',
    async run(ctx) {
      for (const path of ['/p/', '/p/?img=', '/p/?img=picture', '/p/?img=file%3A%2F%2F%2Fetc%2Fpasswd']) {
        const answer = await ctx.owner.get(path)
        expectProblem(answer, 400, 'invalid_request')
        expectNothingFound(answer)
      }
    },
  },
  {
    ...OURS,
    id: 'detector/inside',
    title: 'GET /p/ does not fetch from addresses inside, however they are written',
    async run(ctx) {
      const inside = [
        '127.0.0.1:1',
        'localhost:1',
        '[::1]:1',
        '2130706433:1',
        '[::ffff:127.0.0.1]:1',
        '169.254.169.254',
        '0.0.0.0:1',
      ]
      for (const host of inside) {
        const answer = await ctx.owner.get(`/p/?img=${encodeURIComponent(`http://${host}/a.jpg`)}`)
        expectProblem(answer, 400, 'invalid_request')
      }
    },
  },
  {
    ...OURS,
    id: 'detector/credentials',
    title: '/p/ is for those with a token alone, /hc/ for anyone',
    async run(ctx) {
      expectProblem(await ctx.anonymous.get('/p/?img=http%3A%2F%2Fa.example%2Fa.jpg'), 401, 'unauthorized')
      expectProblem(await ctx.anonymous.send('POST', '/p/', PICTURE), 401, 'unauthorized')
      const health = await ctx.anonymous.get('/hc/')
      expectEqual(health.status, 200, 'the status of /hc/')
      expectTrue(/^(ok|error)$/.test(health.text.trim()), `/hc/ says ${health.text}`)
    },
  },
]
