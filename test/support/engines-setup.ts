import { startPostgres, startRedis } from './engine-programs.js'
import { S3_CREDENTIALS, startS3 } from './s3-program.js'

/** Starts the engines of a fleet for a whole run of tests; where they are stands in the environment of the tests. */
export async function setup(): Promise<() => Promise<void>> {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  process.env['PRINTWARDEN_TEST_POSTGRES_URL'] = postgres.url
  process.env['PRINTWARDEN_TEST_REDIS_URL'] = redis.url
  process.env['PRINTWARDEN_TEST_S3'] = JSON.stringify({ url: s3.url, folder: s3.folder, credentials: S3_CREDENTIALS })
  return async () => {
    await Promise.all([postgres.close(), redis.close(), s3.close()])
  }
}
