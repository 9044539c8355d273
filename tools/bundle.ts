import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')

/**
 * What stands in the bundle for packages of which little is used. Their entries load everything they have, and a daemon
 * keeps that in memory for as long as it lives: all of fetch, its caches and mocks, and the texts of forty languages.
 */
const used: Readonly<Record<string, string>> = {
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
    import api from 'undici/lib/api/index.js'
    Object.assign(Dispatcher.prototype, api)
    export { default as Agent } from 'undici/lib/dispatcher/agent.js'
    export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js'`,
  'prom-client': `
    export { default as collectDefaultMetrics } from 'prom-client/lib/defaultMetrics.js'
    export { default as Gauge } from 'prom-client/lib/gauge.js'
    export { default as Histogram } from 'prom-client/lib/histogram.js'
    export { default as Registry } from 'prom-client/lib/registry.js'`,
  'zod/locales': 'export {}',
}

const onlyWhatIsUsed: Plugin = {
  name: 'only-what-is-used',
  setup(build) {
    const instead = (path: string) => ({ path, namespace: 'used' })
    build.onResolve({ filter: /^(undici|prom-client)$/ }, ({ path }) => instead(path))
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/zod/') ? instead('zod/locales') : null,
    )
    build.onLoad({ filter: /.*/, namespace: 'used' }, ({ path }) => ({ contents: used[path] ?? '', resolveDir: root }))
  },
}

/**
 * Has Node's own modules required instead of imported. An import reads every property of a module, among them those that
 * load something large only when read: `node:http` brings all of fetch with it, and that HTTP/2.
 */
const requireOfNode: Plugin = {
  name: 'require-of-node',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      isBuiltin(path) && kind === 'import-statement' ? { path, namespace: 'node' } : null,
    )
    build.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Gives the reader of cron expressions a clock for UTC that needs no tables of zones. */
const clockOfUtc: Plugin = {
  name: 'clock-of-utc',
  setup(build) {
    const stand = JSON.stringify(join(root, 'tools/utc-format.ts'))
    build.onLoad({ filter: /[\\/]node-cron[\\/]dist[\\/].*\.js$/ }, ({ path }) => ({
      contents: `import { DateTimeFormat } from ${stand}\nconst Intl = { DateTimeFormat }\n${readFileSync(path, 'utf8')}`,
    }))
  },
}

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
  external: ['bcrypt', 'better-sqlite3', 'pino-pretty'],
  plugins: [onlyWhatIsUsed, requireOfNode, clockOfUtc],
  logLevel: 'warning',
} satisfies BuildOptions
