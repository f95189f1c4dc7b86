import { startS3Fixture } from '../packages/server/src/adapters/blobs-s3-fixture.js'

// A server of S3 in a process of its own, so that its work is not taken for that of what is measured.

const s3 = await startS3Fixture()
console.log(JSON.stringify({ ready: s3.urlOf() }))
process.once('SIGTERM', () => void s3.close().then(() => process.exit(0)))
