import { defineConfig } from 'vite'

export default defineConfig({
  // Only in this repository: takes the SDK from its sources, so that it need not be built first.
  resolve: { conditions: ['x-source', 'module', 'browser', 'development|production'] },
  // An address of this machine may be registered with any port.
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: { target: 'es2022' },
})
