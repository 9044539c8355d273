import { type Mutant, mutantsIn } from './mutants.ts'

const tests = ['test/sync/quarantine-removal.test.ts']

/** Deliberate mistakes in how quarantined records leave, and in what is taken of an answer by id. */
export const leftoversMutants: readonly Mutant[] = [
  ...mutantsIn('src/sync/feeds/feed-full.ts', ['test/sync/moved-list.test.ts'], {
    'a list that moves each time it is read is not reported': [
      "if (moved === 'moved-again') noteEvent",
      "if (moved === 'no' && false) noteEvent",
    ],
  }),
  ...mutantsIn('src/api/credentials/own-secrets.ts', ['test/api/credentials/own-secrets.test.ts'], {
    'an own secret as an address writes it is stored': [
      "return yield* without(rest, 'all', function* (bytes) {",
      "if (rest.length > 0) return rest\n  return yield* without(rest, 'all', function* (bytes) {",
    ],
  }),
  ...mutantsIn('src/api/credentials/known-secrets.ts', ['test/api/credentials/known-secrets.test.ts'], {
    'the secret of another tenant is looked for as it is only': [
      'mayBeEscaped(body) ?',
      'mayBeEscaped(Buffer.alloc(0)) ?',
    ],
  }),
  ...mutantsIn('src/api/credentials/escapes.ts', ['test/api/credentials/own-secrets.test.ts'], {
    'a secret with invisible characters in between is stored': [
      'if (isLayer || isWithin || isWord(character)) return true',
      'if (isLayer || isWord(character)) return true',
    ],
  }),
  ...mutantsIn('src/api/client.ts', ['test/api/secrecy.test.ts'], {
    'the secret of a tenant is not known to others before it is sent': [
      'if (secrets !== undefined) {',
      'if (secrets === undefined) {',
    ],
  }),
  ...mutantsIn('src/daemon/open-store.ts', ['test/daemon/open-store.test.ts'], {
    'the password of the database is stored where a tenant returns it': ["note(parseAddress(text).password ?? '')", ''],
  }),
  ...mutantsIn('src/api/decode/record.ts', ['test/api/decode/shapes.test.ts'], {
    'a code in which an echo of the credential was replaced is evaluated': [
      "const look = hasEcho ? 'odd' : lookAt(table, raw, latest)",
      'const look = lookAt(table, raw, latest)',
    ],
  }),
  ...mutantsIn('src/commands/support/write-file.ts', ['test/commands/waive.test.ts'], {
    'a waiver replaces a file that changed meanwhile': [
      "if (readFileSync(file, 'utf8') !== before)",
      "if (readFileSync(file, 'utf8') === null)",
    ],
  }),
  ...mutantsIn('src/store/sync/page-writing.ts', ['test/sync/older-versions.test.ts'], {
    'an older version of a record is written': [
      'if (difference.earlierBy !== null && ',
      'if (difference.earlierBy !== null && page.at < 0 && ',
    ],
  }),
  ...mutantsIn('src/store/records/quarantine-store.ts', ['test/sync/older-versions.test.ts'], {
    'the older version that an unfinished full sync showed is taken by the next one': [
      "absences < 0 ? 'alone'",
      "absences < 1 ? 'alone'",
    ],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', ['test/sync/older-versions.test.ts'], {
    'a page that is not read again leaves older versions held': ['yield* releaseOlder(() => unpackRids(rids))', ''],
  }),
  ...mutantsIn('src/api/transport/send.ts', ['test/api/secrecy.test.ts'], {
    'a server that sends the token back gets it stored and shown': [
      'return await secrets.maskIn(outcome)',
      'return outcome',
    ],
  }),
  ...mutantsIn('src/commands/support/configuration.ts', ['test/commands/damage.test.ts'], {
    'a command shows a damaged mirror': ['await mirror.verify(io.stop)', ''],
  }),
  ...mutantsIn('src/daemon/reload.ts', ['test/daemon/reload.test.ts'], {
    'every signal of a burst loads the configuration': ['        await yieldToEventLoop()\n', ''],
  }),
  ...mutantsIn('src/sync/lists/whole-list.ts', ['test/sync/first-answers.test.ts'], {
    'the first answer of a list is written without a second read': ['|| (await guidsCount(run))', ''],
  }),
  ...mutantsIn('src/resources/users.ts', ['test/sync/user-details.test.ts'], {
    'a detail of another person supplies the role': ["['roleName', 'email', 'createdAt']", "['roleName']"],
  }),
  ...mutantsIn('src/store/sync/absence.ts', tests, {
    'a quarantined record without a live version is never due for removal': ['absent.push(...quarantined.absent)', ''],
  }),
  ...mutantsIn('src/store/records/quarantine-store.ts', tests, {
    'a quarantined record leaves with the first full sync without it': [
      'if (fullSyncId === unbrokenFullSync) yield* releaseAll',
      'if (fullSyncId >= unbrokenFullSync) yield* releaseAll',
    ],
  }),
  ...mutantsIn('src/sync/removals/confirm-by-time.ts', tests, {
    'a record that was never readable is looked for among the recently updated only': [
      'let since = neverUpdated.size > 0 ? 0 : Number',
      'let since = Number',
    ],
  }),
  ...mutantsIn('src/store/sync/lookup-store.ts', tests, {
    'a quarantined user is not asked for by id': ['if (fullSyncs <= 0) continue', 'if (fullSyncs <= 9) continue'],
  }),
  ...mutantsIn('src/store/sync/full-sync-store.ts', tests, {
    'a full sync with an unreadable id releases quarantined records': [
      'if (unreadable === 0) yield* parts.quarantine',
      'yield* parts.quarantine',
    ],
  }),
  ...mutantsIn('src/commands/support/record-bounds.ts', ['test/commands/history.test.ts'], {
    'a period before the record has no changes': ['until < known.at', 'until < 0'],
  }),
]
