import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts the worker thread in the file `name` beside the module `importMetaUrl`. From sources that file is TypeScript, which a
 * worker reads only with tsx loaded into it; from the build it is plain JavaScript.
 */
export function startWorker(name: string, importMetaUrl: string, workerData: unknown): Worker {
  if (!importMetaUrl.endsWith('.ts')) return new Worker(new URL(`${name}.js`, importMetaUrl), { workerData })
  const tsx = pathToFileURL(createRequire(importMetaUrl).resolve('tsx/package.json'))
  const loader = new URL('./dist/esm/api/index.mjs', tsx).href
  const file = new URL(`${name}.ts`, importMetaUrl).href
  const start = `import { register } from ${JSON.stringify(loader)}; register(); await import(${JSON.stringify(file)})`
  const entry = new URL(`data:text/javascript,${encodeURIComponent(start)}`)
  return new Worker(entry, { workerData, execArgv: ['--conditions=x-source'] })
}
