import type { Bench, Figure, LoadOptions } from './bench.js'
import { summarize, type Summary } from './report.js'

/** Runs one benchmark several times, on servers that it starts for itself. */
export async function runBench(bench: Bench, options: LoadOptions): Promise<Summary[]> {
  const opened = await bench.open(options)
  try {
    const runs: (readonly Figure[])[] = []
    for (let run = 0; run < options.runs; run += 1) runs.push(await opened.run())
    return summarize(runs)
  } finally {
    await opened.close()
  }
}
