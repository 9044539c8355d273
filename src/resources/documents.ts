import { date, id, text } from '../model/fields.ts'
import { defineResource } from '../model/resource.ts'

/** docs/internals/api.md#document: null is a value of `uploadStatus` and `updatedAt`; other statuses are configured. */
export const documents = defineResource({
  name: 'documents',
  nouns: ['document', 'documents'],
  kind: 'feed',
  path: '/api/public/documents',
  permission: 'Api_Documents_Read',
  probe: 6,
  schedule: { incremental: '*/5 * * * *', full: '43 */6 * * *' },
  maxPageSize: 200,
  fields: {
    fileId: id.guid(),
    filename: text({ strict: true, personal: true }),
    uploadStatus: text({
      strict: true,
      nullable: true,
      known: { setting: 'documents.knownStatuses', words: ['Completed', 'Processing'] },
    }),
    createdAt: date({ pastOnly: true }),
    updatedAt: date({ nullable: true, pastOnly: true }),
  },
  gauges: [
    {
      kind: 'count',
      name: 'tenantwatch_documents',
      help: 'Documents by upload status: those of documents.knownStatuses, "none" for null, "other" for the rest; absent before the first complete full sync.',
      by: { uploadStatus: { setting: 'documents.knownStatuses' } },
    },
  ],
  identifiedBy: 'guid',
  removal: 'two-full-syncs',
  updatedAfter: { updated: 'updatedAt', created: 'createdAt', overlap: ['documents', 'overlapMs'] },
})
