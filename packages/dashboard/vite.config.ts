import { defineConfig } from 'vite'

// Everything ends up in files of our own origin, so that the server's content security policy needs no exception.
export default defineConfig({
  resolve: { conditions: ['x-source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false },
  // `npx vite` shows the sources as they are edited, on the data of a running server.
  server: {
    proxy: {
      '^/(api|media|ws|login|logout|o|assistant/api)/|^/(pages.css|readyz)$': {
        target: process.env['PRINTWARDEN_URL'] ?? 'http://127.0.0.1:3334',
        ws: true,
      },
    },
  },
})
