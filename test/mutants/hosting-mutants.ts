import type { Mutant } from './mutants.ts'

/** Deliberate mistakes in how the program lives on its machine: its files, its configuration, its processes. */
export const hostingMutants: readonly Mutant[] = [
  {
    name: 'a symbolic link to a database has a lock of its own',
    file: 'src/mirror/sqlite/open-database.ts',
    find: 'return realFile(path)',
    replace: 'return path',
    tests: ['test/mirror/real-file.test.ts'],
  },
  {
    name: 'a database is opened by the second of its hard links',
    file: 'src/mirror/sqlite/engine-lock.ts',
    find: 'stats.nlink < 2',
    replace: 'stats.nlink < 9',
    tests: ['test/mirror/real-file.test.ts'],
  },
  {
    name: 'a report replaces any file',
    file: 'src/commands/support/write-file.ts',
    find: 'stats.size === 0 || own.test(beginningOf(path))',
    replace: 'stats.size >= 0',
    tests: ['test/commands/report.test.ts'],
  },
  {
    name: 'a report is written in the place of a write-ahead log that is empty',
    file: 'src/commands/support/write-file.ts',
    find: "if (isStore) throw new UnfitFile('it is part of a database')",
    replace: '',
    tests: ['test/commands/report.test.ts'],
  },
  {
    name: 'a check result of a time when an input was switched off is shown with it on',
    file: 'src/evaluate/read-posture.ts',
    find: " && state.status === 'unknown')",
    replace: ')',
    tests: ['test/evaluate/read-posture.test.ts'],
  },
  {
    name: 'a run that could not be stored leaves the one before it shown',
    file: 'src/daemon/session.ts',
    find: 'this.#unstored.ended(result, io.clock.now())',
    replace: '',
    tests: ['test/commands/unstored-runs.test.ts'],
  },
  {
    name: 'the page calls data complete of which nothing can be stored',
    file: 'src/web/page/summary.ts',
    find: 'isUnstored(posture)',
    replace: 'false',
    tests: ['test/web/page.test.ts'],
  },
  {
    name: 'open findings of an own check that cannot be read lose their series',
    file: 'src/daemon/views.ts',
    find: '!known.has(check) && Object',
    replace: 'known.has(check) && Object',
    tests: ['test/commands/own-checks.test.ts'],
  },
  {
    name: 'a reload gives up the own checks of a folder that cannot be read',
    file: 'src/daemon/reload.ts',
    find: ', ...unreadFolder(next)]',
    replace: ']',
    tests: ['test/commands/own-checks.test.ts'],
  },
  {
    name: 'a web configuration that was emptied starts a server for everybody',
    file: 'src/config/web/load-web-settings.ts',
    find: 'if (Object.keys(raw ?? {}).length === 0)',
    replace: 'if (raw === 0)',
    tests: ['test/web/live-web.test.ts'],
  },
  {
    name: 'what a token command has started outlives it',
    file: 'src/api/credentials/command-source.ts',
    find: 'process.kill(-pid',
    replace: 'process.kill(pid',
    tests: ['test/api/credentials/sources.test.ts'],
  },
  {
    name: 'a history of data that was never read passes for one without changes',
    file: 'src/commands/history.ts',
    find: 'for (const line of dataWarnings(posture, name)) io',
    replace: 'for (const line of dataWarnings(posture, name).slice(9)) io',
    tests: ['test/commands/history.test.ts'],
  },
]
