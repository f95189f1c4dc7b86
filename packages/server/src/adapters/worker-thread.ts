import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts the worker thread in the file `name` of this folder. From sources that file is TypeScript, which a worker reads only with tsx
 * loaded into it; in the built program it is plain JavaScript, and lies beside whichever file this module became a part of.
 */
export function startWorker(name: string, workerData: unknown): Worker {
  const here = import.meta.url
  if (!here.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, here), { workerData })
  const tsx = pathToFileURL(createRequire(here).resolve('tsx/package.json'))
  const loader = new URL('./dist/esm/api/index.mjs', tsx).href
  const file = new URL(`./${name}.ts`, here).href
  const start = `import { register } from ${JSON.stringify(loader)}; register(); await import(${JSON.stringify(file)})`
  const entry = new URL(`data:text/javascript,${encodeURIComponent(start)}`)
  return new Worker(entry, { workerData, execArgv: ['--conditions=x-source'] })
}
