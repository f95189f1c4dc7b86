import { expect, test } from 'vitest'
import { readBlobsUrl } from './blobs-url.js'

const NONE = { endpoint: undefined, region: undefined, prefix: '' }

test.each([
  { text: 's3://pictures', place: { bucket: 'pictures', ...NONE } },
  { text: 's3://pictures?region=eu-central-1', place: { bucket: 'pictures', ...NONE, region: 'eu-central-1' } },
  {
    text: 's3://my.pictures?endpoint=https://minio.example:9000/&prefix=farm/left/',
    place: { bucket: 'my.pictures', endpoint: 'https://minio.example:9000', region: 'us-east-1', prefix: 'farm/left/' },
  },
  {
    text: 's3://pictures/?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=garage&prefix=farm',
    place: { bucket: 'pictures', endpoint: 'http://127.0.0.1:9000', region: 'garage', prefix: 'farm/' },
  },
])('$text is a bucket', ({ text, place }) => {
  expect(readBlobsUrl(text)).toEqual(place)
})

test.each([
  { text: 'pictures', problem: /must be s3:/ },
  { text: 'https://pictures.example', problem: /must be s3:/ },
  { text: 's3://', problem: /names no bucket/ },
  { text: 's3://ab', problem: /names no bucket/ },
  { text: 's3://Pictures_1', problem: /names no bucket/ },
  { text: 's3://pictures:9000', problem: /names no bucket/ },
  { text: 's3://key:secret@pictures', problem: /no credentials/ },
  { text: 's3://pictures/farm', problem: /as prefix=/ },
  { text: 's3://pictures?endpont=http://x', problem: /unknown parameter "endpont"/ },
  { text: 's3://pictures?endpoint=minio:9000', problem: /endpoint/ },
  { text: 's3://pictures?endpoint=http://me:pw@minio:9000', problem: /endpoint/ },
  { text: 's3://pictures?endpoint=http://minio:9000/path', problem: /endpoint/ },
  { text: 's3://pictures?region=eu central', problem: /region/ },
  { text: 's3://pictures?prefix=../x', problem: /prefix/ },
  { text: 's3://pictures?prefix=/x', problem: /prefix/ },
])('$text is none, in words', ({ text, problem }) => {
  expect(readBlobsUrl(text)).toEqual({ problem: expect.stringMatching(problem) })
})
