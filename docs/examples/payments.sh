#!/bin/sh
# The payments example: two workers, one payment that its provider delivers
# twice, and a lease that runs out in the middle. At the end there is exactly
# one receipt, one state and one reminder.
#
#   docs/examples/payments.sh [http://127.0.0.1:6632]
#
# Needs curl and jq, and a broker that runs. Every run uses queues of its own.
set -eu
base="${1:-http://127.0.0.1:6632}/api/v1"
run="$(date +%s)-$$"
payments="payments-$run" receipts="receipts-$run" reminders="reminders-$run"

say() { printf '\n-- %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
post() { curl -sS -X POST "$base/$1" -H 'Content-Type: application/json' -d "$2"; }
# expect NAME ACTUAL WANTED
expect() { [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"; echo "   $1: $2"; }

# What one worker commits for one message: the ack, fenced by the lease of its
# pop; the receipt; the state; the reminder; and a marker that lets a payment
# through once, whatever is delivered how often.
step() { # MESSAGE (as the pop gave it) -> the body of the transaction
  echo "$1" | jq -c --arg receipts "$receipts" --arg reminders "$reminders" \
    --arg ns "run-$run" '{
    operations: [
      {type: "ack", transactionId, partitionId, consumerGroup, leaseId,
       status: "completed"},
      {type: "push", queue: $receipts, partition: .data.customer,
       payload: {order: .data.order, payment: .data.payment}}],
    kv: [
      {op: "putIfAbsent", ns: $ns, key: ("payment/" + .data.payment),
       value: true, ttlSeconds: 2592000, required: true},
      {op: "put", ns: $ns, key: ("order/" + .data.order),
       value: {status: "paid"}, forever: true},
      {op: "incr", ns: $ns, key: "paid", delta: 1, forever: true}],
    timers: [
      {op: "schedule", queue: $reminders, timerKey: .data.order,
       delaySeconds: 86400, payload: {order: .data.order}}]}'
}

say "the provider delivers payment p-1 twice, under two event ids"
for event in evt-1 evt-2; do
  post push '{"items":[{"queue":"'"$payments"'","partition":"customer-42","transactionId":"'"$event"'",
    "payload":{"payment":"p-1","order":"o-7","customer":"customer-42"}}]}' |
    jq -r '"   \(.[0].transactionId) \(.[0].status) at offset \(.[0].offset)"'
done

pop() { # LEASE_SECONDS -> the first message, empty when there is none
  curl -sS "$base/pop/queue/$payments?consumerGroup=billing&subscriptionMode=all&batch=1&leaseSeconds=$1&wait=true&timeout=10000" |
    jq -c '.messages[0]'
}

say "worker A takes the first one for a second, and is too slow"
slow="$(pop 1)"
expect "A has" "$(echo "$slow" | jq -r .transactionId)" evt-1

say "its lease runs out, and worker B gets the same message"
again="$(pop 60)"
expect "B has" "$(echo "$again" | jq -r .transactionId)" evt-1
expect "deliveryAttempt" "$(echo "$again" | jq -r .deliveryAttempt)" 2

say "A wakes up and commits: its lease is not the live one, nothing is written"
expect "A's verdict" "$(post transaction "$(step "$slow")" | jq -r .reason)" rejected_ack
expect "state so far" "$(curl -sS "$base/kv/run-$run/order/o-7" | jq -r .found)" false

say "B commits: acked, receipt, state, reminder, in one entry"
expect "B's verdict" "$(post transaction "$(step "$again")" | jq -r .success)" true

say "the second event of the same payment: the marker is there, all of it rolls back"
second="$(pop 60)"
expect "next is" "$(echo "$second" | jq -r .transactionId)" evt-2
verdict="$(post transaction "$(step "$second")")"
expect "reason" "$(echo "$verdict" | jq -r .reason)" kv_precondition
expect "kvReason" "$(echo "$verdict" | jq -r .kvReason)" exists

say "its ack rolled back with the rest, so it is acked alone"
ack="$(echo "$second" | jq -c '{transactionId, partitionId, consumerGroup, leaseId}')"
expect "acked" "$(post ack "$ack" | jq -r '.[0].success')" true

say "exactly one receipt, one state, one reminder; nothing left to do"
expect "receipts" "$(post fetch '{"entries":[{"queue":"'"$receipts"'","partition":"customer-42","offset":0}]}' | jq '.entries[0].records | length')" 1
expect "order o-7" "$(curl -sS "$base/kv/run-$run/order/o-7" | jq -r .value.status)" paid
expect "paid orders" "$(curl -sS "$base/kv/run-$run/paid" | jq -r .value)" 1
expect "reminders" "$(curl -sS "$base/timers/$reminders?mode=count" | jq -r .count)" 1
expect "left to pop" "$(curl -sS -o /dev/null -w '%{http_code}' "$base/pop/queue/$payments?consumerGroup=billing")" 204
echo
echo "ok"
