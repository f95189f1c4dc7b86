import type { PastFlow } from './detection/past/past-flow.js'
import { type JobFlow, jobFlow } from './jobs/flow.js'
import type { BlobStore, Bus, Clock, Database, Log, Secrets } from './ports.js'
import type { FramesFlow } from './timelapse/frames-flow.js'
import { timelapseJob, type TimelapseJobDeps } from './timelapse/job.js'
import { TIMELAPSE_JOB } from './timelapse/request-flow.js'
import { RETENTION_JOB, type RetentionFlow } from './timelapse/retention-flow.js'

export interface JobsPartDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly frames: FramesFlow
  readonly past: PastFlow
  readonly retention: RetentionFlow
  readonly scratchFolder: string
  readonly findEncoder: TimelapseJobDeps['findEncoder']
}

/** Starts the workers of a process with the role `jobs`. */
export async function startJobs(deps: JobsPartDeps): Promise<Pick<JobFlow, 'close'>> {
  const { past, retention } = deps
  const videos = jobFlow({
    ...deps,
    kinds: {
      [TIMELAPSE_JOB]: timelapseJob({ ...deps, keepHistory: past.keepHistory }),
      [RETENTION_JOB]: retention.job,
    },
  })
  // Beside the others: one look back at a long print must not hold up the videos of those that end.
  const lookBacks = jobFlow({ ...deps, kinds: past.kinds })
  lookBacks.start()
  await retention.schedule()
  videos.start()
  return {
    async close() {
      await Promise.all([videos.close(), lookBacks.close()])
    },
  }
}
