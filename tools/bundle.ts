import type { BuildOptions } from 'esbuild'

/** CommonJS packages inside an ES module bundle still call `require`; this gives them one. */
export const requireBanner = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
].join('\n')

/** How the product is bundled, and what is measured beside it. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  external: ['bcrypt', 'better-sqlite3', 'pg', 'pino-pretty'],
  logLevel: 'warning',
} satisfies BuildOptions
