const contractEventKinds = [
  'unknown_field',
  'unknown_value',
  'order_violation',
  'skipped_row',
  'invalid_id',
  'duplicate_email',
  'contradictory',
  'no_offset',
  'limit_differs',
  'unreadable_time',
  'detail_differs',
] as const

export type ContractEventKind = (typeof contractEventKinds)[number]
