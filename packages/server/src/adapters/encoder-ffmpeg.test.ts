import { describe, expect, test } from 'vitest'
import { encoderContract } from './encoder.contract.js'
import { findFfmpeg } from './encoder-ffmpeg.js'

const found = await findFfmpeg()

describe.skipIf(found === undefined)('with the ffmpeg of this machine', () => {
  encoderContract(async () => {
    if (found === undefined) throw new Error('there is no ffmpeg')
    return found
  })
})

test('a program that is not there, or is no ffmpeg, is not found', async () => {
  expect(await findFfmpeg('/nowhere/ffmpeg')).toBeUndefined()
  expect(await findFfmpeg(process.execPath)).toBeUndefined()
})
