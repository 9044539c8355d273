import { type Mutant, mutantsIn } from './mutants.ts'

/** Deliberate mistakes in reading records, in what is stored of them, and in what becomes of repeats and details. */
export const decoderMutants: readonly Mutant[] = [
  ...mutantsIn('src/api/transport/envelope.ts', ['test/faults/envelope.test.ts'], {
    'of two values of one name the last one counts': ['if (repeatsName(text, body)) ', 'if (body === text) '],
  }),
  ...mutantsIn('src/api/transport/envelope.ts', ['test/sync/contract-events.test.ts'], {
    'fields beside those of the envelope are not counted': [
      "[...unnamed(body, named.envelope), ...unnamed(meta, named.meta, 'meta.')]",
      "[...unnamed(meta, named.meta, 'meta.')]",
    ],
    'a success without the key error is not counted': ["!Object.hasOwn(body, 'error')", 'false'],
  }),
  ...mutantsIn('src/api/decode/record.ts', ['test/api/decode'], {
    'a provider type of a wrong type becomes null': [
      'if (!strict) return describedText(',
      'if (!strict || reader.requiredWith !== null) return describedText(',
    ],
  }),
  ...mutantsIn('src/api/decode/values.ts', ['test/api/decode'], {
    'a date ahead of the server time is believed': [
      'if (ms !== undefined && ms <= latest) return value',
      'if (ms !== undefined) return value',
    ],
  }),
  ...mutantsIn('src/api/decode/withheld.ts', ['test/api/decode'], {
    'only names at the top are looked at for secrets': [
      'kept[freeName(kept, storableName(name))] = namesSecret(name) ? withheld(one) : storable(one)',
      'kept[freeName(kept, storableName(name))] = storable(one)',
    ],
    'the name of an unknown field is stored and logged unchanged': [
      "const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)",
      'const harmless = name.length > 0',
    ],
  }),
  ...mutantsIn('src/api/decode/parse-context.ts', ['test/api/decode'], {
    'a quarantined record is stored with its secrets': [
      'return { ok: false, id, raw: rawWithoutSecrets(raw, described), problem: context.problem }',
      'return { ok: false, id, raw: described === undefined ? rawWithoutSecrets(raw, described) : raw, problem: context.problem }',
    ],
  }),
  ...mutantsIn('src/store/records/repeats.ts', ['test/sync/same-id-twice.test.ts'], {
    'of two records with one id in one answer the first counts': [
      'if (field === null) continue',
      'if (field !== undefined) continue',
    ],
  }),
  ...mutantsIn('src/store/sync/page-writing.ts', ['test/sync/same-id-twice.test.ts'], {
    'a record that the full sync has shown before is written again': [
      'ofFullSync !== null && difference.indexes.length > 0',
      'ofFullSync !== null && difference.indexes.length < 0',
    ],
  }),
  ...mutantsIn('src/store/sync/full-sync-store.ts', ['test/sync/moved-list.test.ts'], {
    'what an incremental sync shows beside a full one counts as a page of it': [
      "'select page, rids from full_sync_pages where full_sync_id = ? and page > ? order by page'",
      "'select page, rids from full_sync_pages where full_sync_id = ? and abs(page) > ? order by page'",
    ],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', ['test/sync/user-details.test.ts'], {
    'a detail with another role name supplies the role': [
      "if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')",
      "if (typeof value !== 'number')",
    ],
  }),
  ...mutantsIn('src/sync/feeds/feed-pages.ts', ['test/sync/known-pages.test.ts'], {
    'the deviations of a page that is not read again are not counted': ['  noteOddities(run, note.oddities)\n', ''],
  }),
  ...mutantsIn('src/api/create-user.ts', ['test/api/create-user.test.ts'], {
    'a 201 is accepted whatever user it contains': ['if (broken !== null) throw', 'if (broken === undefined) throw'],
  }),
]
