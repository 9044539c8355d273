#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation takes some 100 MB off the peak memory of a large full sync.
const least = 24

const major = Number(process.versions.node.split('.')[0])
if (major < least) {
  process.stderr.write(
    `tenantwatch: this is Node ${process.versions.node}; it needs ${least} or newer (npm scripts use the one in node_modules/.bin)\n`,
  )
  process.exit(2)
}
// Before all that has to be loaded: an unheard SIGHUP ends a process.
const hangUp = new AbortController()
process.on('SIGHUP', () => hangUp.abort())
const { start } = await import('./commands/start.ts')
await start(hangUp.signal)

export {}
