import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { breachesOf } from './boundaries.js'

// `npm run boundaries`: every rule over every source file. Exit code 1 and a line per breach when one is broken.

const ROOT = fileURLToPath(new URL('../', import.meta.url))

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return /^(node_modules|dist|dist-types|fixtures|\.venv|\.cache)$/.test(entry.name) ? [] : sourceFiles(path)
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

const files = [
  ...sourceFiles(join(ROOT, 'packages')),
  ...sourceFiles(join(ROOT, 'test')),
  ...sourceFiles(join(ROOT, 'training')),
]
const breaches = files.flatMap((path) =>
  breachesOf(relative(ROOT, path).split(sep).join('/'), readFileSync(path, 'utf8')),
)
for (const { file, line, rule } of breaches) console.error(`${file}:${line}: ${rule}`)
console.log(`boundaries: ${files.length} files, ${breaches.length} breaches`)
process.exitCode = breaches.length === 0 ? 0 : 1
