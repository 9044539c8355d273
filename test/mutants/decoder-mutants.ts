import type { Mutant } from './mutants.ts'

/** Deliberate mistakes in reading records, in what is stored of them, and in what becomes of repeats and details. */
export const decoderMutants: readonly Mutant[] = [
  {
    name: 'of two values of one name the last one counts',
    file: 'src/api/transport/envelope.ts',
    find: 'if (repeatsName(text, body)) ',
    replace: 'if (body === text) ',
    tests: ['test/faults/envelope.test.ts'],
  },
  {
    name: 'a provider type of a wrong type becomes null',
    file: 'src/api/decode/record.ts',
    find: 'if (!strict) return describedText(',
    replace: 'if (!strict || reader.requiredWith !== null) return describedText(',
    tests: ['test/api/decode'],
  },
  {
    name: 'a date ahead of the server time is believed',
    file: 'src/api/decode/values.ts',
    find: 'if (ms !== undefined && ms <= latest) return value',
    replace: 'if (ms !== undefined) return value',
    tests: ['test/api/decode'],
  },
  {
    name: 'only names at the top are looked at for secrets',
    file: 'src/api/decode/withheld.ts',
    find: 'kept[freeName(kept, storableName(name))] = namesSecret(name) ? withheld(one) : storable(one)',
    replace: 'kept[freeName(kept, storableName(name))] = storable(one)',
    tests: ['test/api/decode'],
  },
  {
    name: 'the name of an unknown field is stored and logged unchanged',
    file: 'src/api/decode/withheld.ts',
    find: "const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)",
    replace: 'const harmless = name.length > 0',
    tests: ['test/api/decode'],
  },
  {
    name: 'a quarantined record is stored with its secrets',
    file: 'src/api/decode/parse-context.ts',
    find: 'return { ok: false, id, raw: rawWithoutSecrets(raw, described), problem: context.problem }',
    replace:
      'return { ok: false, id, raw: described === undefined ? rawWithoutSecrets(raw, described) : raw, problem: context.problem }',
    tests: ['test/api/decode'],
  },
  {
    name: 'of two records with one id in one answer the first counts',
    file: 'src/mirror/records/repeats.ts',
    find: 'if (field === null) continue',
    replace: 'if (field !== undefined) continue',
    tests: ['test/sync/same-id-twice.test.ts'],
  },
  {
    name: 'a record that the full sync has shown before is written again',
    file: 'src/mirror/sync/page-writing.ts',
    find: 'ofFullSync !== null && difference.indexes.length > 0',
    replace: 'ofFullSync !== null && difference.indexes.length < 0',
    tests: ['test/sync/same-id-twice.test.ts'],
  },
  {
    name: 'what an incremental sync shows beside a full one counts as a page of it',
    file: 'src/mirror/sync/full-sync-store.ts',
    find: "'select page, rids from full_sync_pages where full_sync_id = ? and page > ? order by page'",
    replace: "'select page, rids from full_sync_pages where full_sync_id = ? and abs(page) > ? order by page'",
    tests: ['test/sync/moved-list.test.ts'],
  },
  {
    name: 'a detail with another role name supplies the role',
    file: 'src/mirror/sync/page-store.ts',
    find: "if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')",
    replace: "if (typeof value !== 'number')",
    tests: ['test/sync/user-details.test.ts'],
  },
  {
    name: 'the deviations of a page that is not read again are not counted',
    file: 'src/sync/feeds/feed-pages.ts',
    find: '  noteOddities(run, note.oddities)\n',
    replace: '',
    tests: ['test/sync/known-pages.test.ts'],
  },
  {
    name: 'a 201 is accepted whatever user it contains',
    file: 'src/api/create-user.ts',
    find: 'if (broken !== null) throw',
    replace: 'if (broken === undefined) throw',
    tests: ['test/api/create-user.test.ts'],
  },
]
