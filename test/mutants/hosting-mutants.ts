import { type Mutant, mutantsIn } from './mutants.ts'

/** Deliberate mistakes in how the program lives on its machine: its files, its configuration, its processes. */
export const hostingMutants: readonly Mutant[] = [
  ...mutantsIn('src/store/sqlite/open-database.ts', ['test/store/real-file.test.ts'], {
    'a symbolic link to a database has a lock of its own': ['return realFile(path)', 'return path'],
  }),
  ...mutantsIn('src/store/sqlite/engine-lock.ts', ['test/store/real-file.test.ts'], {
    'a database is opened by the second of its hard links': ['stats.nlink < 2', 'stats.nlink < 9'],
  }),
  ...mutantsIn('src/commands/support/write-file.ts', ['test/commands/report.test.ts'], {
    'a report replaces any file': ['stats.size === 0 || own.test(beginningOf(path))', 'stats.size >= 0'],
    'a report is written in the place of a write-ahead log that is empty': [
      "if (isStore) throw new UnfitFile('it is part of a database')",
      '',
    ],
  }),
  ...mutantsIn('src/evaluate/read-posture.ts', ['test/evaluate/read-posture.test.ts'], {
    'a check result of a time when an input was switched off is shown with it on': [
      " && state.status === 'unknown')",
      ')',
    ],
  }),
  ...mutantsIn('src/daemon/session.ts', ['test/commands/unstored-runs.test.ts'], {
    'a run that could not be stored leaves the one before it shown': [
      'this.#unstored.ended(result, io.clock.now())',
      '',
    ],
  }),
  ...mutantsIn('src/web/page/summary.ts', ['test/web/page.test.ts'], {
    'the page calls data complete of which nothing can be stored': ['isUnstored(posture)', 'false'],
  }),
  ...mutantsIn('src/daemon/views.ts', ['test/commands/own-checks.test.ts'], {
    'open findings of an own check that cannot be read lose their series': [
      '!known.has(check) && hasAny',
      'known.has(check) && hasAny',
    ],
  }),
  ...mutantsIn('src/daemon/reload.ts', ['test/commands/own-checks.test.ts'], {
    'a reload gives up the own checks of a folder that cannot be read': [', ...unreadFolder(next)]', ']'],
  }),
  ...mutantsIn('src/config/web/load-web-settings.ts', ['test/web/live-web.test.ts'], {
    'a web configuration that was emptied starts a server for everybody': [
      'if (Object.keys(raw ?? {}).length === 0)',
      'if (raw === 0)',
    ],
  }),
  ...mutantsIn('src/api/credentials/command-source.ts', ['test/api/credentials/sources.test.ts'], {
    'what a token command has started outlives it': ['process.kill(-pid', 'process.kill(pid'],
  }),
  ...mutantsIn('src/commands/history.ts', ['test/commands/history.test.ts'], {
    'a history of data that was never read passes for one without changes': [
      'for (const line of dataWarnings(posture, ...(resource === undefined ? resourceNames : [resource]))) note(io, line)',
      'for (const line of []) note(io, line)',
    ],
  }),
]
