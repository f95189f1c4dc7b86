import { afterAll, beforeAll } from 'vitest'
import { keptLog } from '../testing.js'
import { blobStoreContract } from './blobs.contract.js'
import { openS3Blobs } from './blobs-s3.js'
import { ANY_CREDENTIALS, type S3Fixture, startS3Fixture } from './blobs-s3-fixture.js'

let s3: S3Fixture
let count = 0

beforeAll(async () => {
  Object.assign(process.env, ANY_CREDENTIALS)
  s3 = await startS3Fixture()
})
afterAll(() => s3.close())

blobStoreContract(() => openS3Blobs(s3.placeOf(`store-${count++}`), keptLog()))
