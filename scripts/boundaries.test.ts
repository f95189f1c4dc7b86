import { expect, test } from 'vitest'
import { breachesOf } from './boundaries.js'

const PURE = 'packages/server/src/prints/lifecycle.ts'
const STORE = 'packages/server/src/prints/store.ts'

test.each([
  { name: 'the clock in a pure file', file: PURE, source: 'export const f = () => Date.now()', rule: /Date\.now/ },
  { name: 'a new date of now', file: PURE, source: 'export const f = () => new Date()', rule: /new Date/ },
  { name: 'randomness', file: PURE, source: 'export const f = () => Math.random()', rule: /Math\.random/ },
  { name: 'a random id', file: PURE, source: 'export const f = () => crypto.randomUUID()', rule: /randomUUID/ },
  { name: 'a timer', file: PURE, source: 'setTimeout(() => {}, 1)', rule: /setTimeout/ },
  { name: 'a request', file: PURE, source: "export const f = () => fetch('x')", rule: /fetch/ },
  { name: 'the file system', file: PURE, source: "import { readFile } from 'node:fs/promises'", rule: /node:fs/ },
  { name: 'a package that does I/O', file: PURE, source: "import sharp from 'sharp'", rule: /sharp/ },
  { name: 'I/O in the protocol', file: 'packages/protocol/src/x.ts', source: 'Date.now()', rule: /Date\.now/ },
  {
    name: 'I/O in a pure file of the agent',
    file: 'packages/agent/src/time/backoff.ts',
    source: 'Date.now()',
    rule: /Date/,
  },
  {
    name: 'the environment outside config',
    file: 'packages/server/src/main.ts',
    source: 'console.log(process.env.X)',
    rule: /only config/,
  },
  {
    name: 'SQL outside a store',
    file: 'packages/server/src/prints/flow.ts',
    source: "import { sql } from 'kysely'",
    rule: /SQL/,
  },
  {
    name: 'a program in the conformance kit',
    file: 'test/conformance/src/cases/prints.ts',
    source: "import { startServer } from '../../../support/processes.js'",
    rule: /stands alone/,
  },
  {
    name: 'another package in the conformance kit',
    file: 'test/conformance/src/run.ts',
    source: "import { Client } from '@printwarden/sdk'",
    rule: /stands alone/,
  },
  { name: 'an adapter in a feature', file: STORE, source: "import { x } from '../adapters/x.js'", rule: /ports/ },
  {
    name: 'a later feature',
    file: STORE,
    source: "import { x } from '../live/feed.js'",
    rule: /prints comes before live/,
  },
  {
    name: "another feature's routes",
    file: 'packages/server/src/live/feed.ts',
    source: "import { x } from '../prints/routes.js'",
    rule: /routes/,
  },
  {
    name: 'the server in the agent',
    file: 'packages/agent/src/flow.ts',
    source: "import 'printwarden-server'",
    rule: /may not import/,
  },
  {
    name: 'values of the protocol in the SDK',
    file: 'packages/sdk/src/client.ts',
    source: "import { API_ERRORS } from '@printwarden/protocol'",
    rule: /only import types/,
  },
  {
    name: 'the source of the server in a test',
    file: 'test/e2e/x.test.ts',
    source: "import { x } from '../../packages/server/src/app.js'",
    rule: /by its name/,
  },
  {
    name: 'a way around by a path',
    file: 'packages/agent/src/flow.ts',
    source: "import { x } from '../../server/src/x.js'",
    rule: /by its name/,
  },
  { name: 'an index file', file: 'packages/server/src/prints/index.ts', source: '', rule: /index\.ts/ },
])('$name is refused', ({ file, source, rule }) => {
  expect(breachesOf(file, source).map((breach) => breach.rule)).toEqual([expect.stringMatching(rule)])
})

test.each([
  { name: 'the clock in a flow', file: 'packages/server/src/prints/flow.ts', source: 'Date.now()' },
  { name: 'a date of a given instant', file: PURE, source: 'export const f = (ms: number) => new Date(ms)' },
  { name: 'types of anything', file: PURE, source: "import type { Readable } from 'node:stream'" },
  { name: 'SQL in a store', file: STORE, source: "import { sql } from 'kysely'" },
  {
    name: 'an earlier feature',
    file: 'packages/server/src/live/feed.ts',
    source: "import { x } from '../prints/listing.js'",
  },
  { name: 'a view of a later feature', file: STORE, source: "import { x } from '../printers/view.js'" },
  {
    name: 'types of the protocol in the SDK',
    file: 'packages/sdk/src/x.ts',
    source: "import type { Printer } from '@printwarden/protocol'",
  },
  { name: 'the environment in config', file: 'packages/server/src/config.ts', source: 'process.env' },
  { name: 'a camera doing I/O', file: 'packages/agent/src/cameras/mjpeg.ts', source: "import http from 'node:http'" },
])('$name is allowed', ({ file, source }) => {
  expect(breachesOf(file, source)).toEqual([])
})
