/** What each kind of deviation from the API's specification means for the data, without a full stop. */
export const contractEventMeanings = {
  unknown_field:
    'A field that the specification does not name is read by no check; one of the envelope, such as meta.warnings, may mean that the answer is partial',
  unknown_value:
    'A value that the specification does not name is stored; if it is legitimate and a configuration key is named with it, add it to that key',
  order_violation:
    'The list is out of order or moved while it was read; a record that it skipped comes with a later full sync',
  skipped_row: 'A full sync left out a record that exists; the list is read once more',
  invalid_id: 'An id that should be a GUID is not one',
  duplicate_email: 'Two users have the same e-mail address',
  contradictory: 'Records with one id differ; they are quarantined until they agree',
  no_offset: 'Dates without an offset are read as UTC; if the API sends local time, expiry dates are hours off',
  limit_differs: 'Pages have another size than requested; check api.pageSizeParameter and api.pageSize',
  unreadable_time: 'Without a readable meta.timestamp, checks that compare times do not pass',
  detail_differs: 'A user read by id differs from the list; the list counts',
} as const

export type ContractEventKind = keyof typeof contractEventMeanings
