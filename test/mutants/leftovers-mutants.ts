import type { Mutant } from './mutants.ts'

const tests = ['test/sync/quarantine-removal.test.ts']

/** Deliberate mistakes in how quarantined records leave, and in what is taken of an answer by id. */
export const leftoversMutants: readonly Mutant[] = [
  {
    name: 'a list that moves each time it is read is not reported',
    file: 'src/sync/feeds/feed-full.ts',
    find: "if (moved === 'moved-again') noteEvent",
    replace: "if (moved === 'no' && false) noteEvent",
    tests: ['test/sync/moved-list.test.ts'],
  },
  {
    name: 'an own secret as an address writes it is stored',
    file: 'src/api/credentials/own-secrets.ts',
    find: 'return without(rest, normalized(rest), all)',
    replace: 'return rest.length + all.length < 0 ? without(rest, normalized(rest), all) : rest',
    tests: ['test/api/credentials/own-secrets.test.ts'],
  },
  {
    name: 'an older version of a record is written',
    file: 'src/mirror/sync/page-writing.ts',
    find: 'if (difference.earlierBy !== null && ',
    replace: 'if (difference.earlierBy !== null && page.at < 0 && ',
    tests: ['test/sync/older-versions.test.ts'],
  },
  {
    name: 'the older version that an unfinished full sync showed is taken by the next one',
    file: 'src/mirror/records/quarantine-store.ts',
    find: "absences < 0 ? 'alone'",
    replace: "absences < 1 ? 'alone'",
    tests: ['test/sync/older-versions.test.ts'],
  },
  {
    name: 'a page that is not read again leaves older versions held',
    file: 'src/mirror/sync/page-store.ts',
    find: 'quarantine.outdo(tenantId, writer(resource).table, () => unpackRids(rids))',
    replace: '',
    tests: ['test/sync/older-versions.test.ts'],
  },
  {
    name: 'a server that sends the token back gets it stored and shown',
    file: 'src/api/transport/send.ts',
    find: 'return ownSecrets.maskIn(outcome)',
    replace: 'return outcome',
    tests: ['test/api/secrecy.test.ts'],
  },
  {
    name: 'a command shows a damaged mirror',
    file: 'src/commands/support/verified-mirror.ts',
    find: 'await mirror.verify(io.stop)',
    replace: '',
    tests: ['test/commands/damage.test.ts'],
  },
  {
    name: 'every signal of a burst loads the configuration',
    file: 'src/daemon/reload.ts',
    find: '        await yieldToEventLoop()\n',
    replace: '',
    tests: ['test/daemon/reload.test.ts'],
  },
  {
    name: 'the first answer of a list is written without a second read',
    file: 'src/sync/lists/whole-list.ts',
    find: '|| (await guidsCount(run))',
    replace: '',
    tests: ['test/sync/first-answers.test.ts'],
  },
  {
    name: 'a detail of another person supplies the role',
    file: 'src/resources/users.ts',
    find: "['roleName', 'email', 'createdAt']",
    replace: "['roleName']",
    tests: ['test/sync/user-details.test.ts'],
  },
  {
    name: 'a quarantined record without a live version is never due for removal',
    file: 'src/mirror/sync/absence.ts',
    find: 'absent.push(...quarantined.absent)',
    replace: '',
    tests,
  },
  {
    name: 'a quarantined record leaves with the first full sync without it',
    file: 'src/mirror/records/quarantine-store.ts',
    find: 'if (fullSyncId === unbrokenFullSync) yield* releaseAll',
    replace: 'if (fullSyncId >= unbrokenFullSync) yield* releaseAll',
    tests,
  },
  {
    name: 'a record that was never readable is looked for among the recently updated only',
    file: 'src/sync/removals/confirm-by-time.ts',
    find: 'let since = neverReadable.length > 0 ? 0 : Number',
    replace: 'let since = Number',
    tests,
  },
  {
    name: 'a quarantined user is not asked for by id',
    file: 'src/mirror/sync/lookup-store.ts',
    find: 'if (fullSyncs <= 0) continue',
    replace: 'if (fullSyncs <= 9) continue',
    tests,
  },
  {
    name: 'a full sync with an unreadable id releases quarantined records',
    file: 'src/mirror/sync/full-sync-store.ts',
    find: 'if (unreadable === 0) yield* parts.quarantine',
    replace: 'yield* parts.quarantine',
    tests,
  },
  {
    name: 'a period before the record has no changes',
    file: 'src/commands/history.ts',
    find: 'until < known.at',
    replace: 'until < 0',
    tests: ['test/commands/history.test.ts'],
  },
]
