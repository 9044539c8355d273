import { chmod } from 'node:fs/promises'
import { build } from 'esbuild'

const out = 'dist/tenantwatch.js'

/** CommonJS packages inside an ES module bundle still call `require`; this gives them one. */
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n')

await build({
  entryPoints: ['src/main.ts'],
  outfile: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  external: ['better-sqlite3', 'pino-pretty'],
  banner: { js: banner },
  legalComments: 'linked',
  sourcemap: 'linked',
  logLevel: 'warning',
})
await chmod(out, 0o755)
