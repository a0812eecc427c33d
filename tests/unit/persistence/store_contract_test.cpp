// What store.hpp promises, on RocksDB and in memory alike.

#include "store_harness.hpp"

using namespace store_test;

#define BOTH_STORES(claim)                                                     \
  TEMPLATE_TEST_CASE(claim, "[store]", rocks_world, memory_world)

BOTH_STORES("a batch applies whole and in its order") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k1", "old");
  put(*a, "k2", "old");
  auto batch = a->new_batch();
  CHECK(batch->empty());
  batch->put("k1", "first");
  batch->put("k1", "second");
  batch->erase("k2");
  batch->put("k3", "new");
  batch->erase("k4");
  CHECK_FALSE(batch->empty());
  CHECK(batch->bytes() >= 24);
  CHECK(rows(*a) == "k1=old k2=old "); // not before write()
  REQUIRE(a->write(*batch));
  CHECK(rows(*a) == "k1=second k3=new ");
}

BOTH_STORES("a cleared batch writes nothing of what it held") {
  TestType w;
  auto a = w.open("a");
  auto batch = a->new_batch();
  batch->put("k1", "x");
  batch->clear();
  CHECK(batch->empty());
  batch->put("k2", "y");
  REQUIRE(a->write(*batch));
  CHECK(rows(*a) == "k2=y ");
}

BOTH_STORES("one batch can be written twice") {
  TestType w;
  auto a = w.open("a");
  auto batch = a->new_batch();
  batch->put("k", "1");
  REQUIRE(a->write(*batch));
  put(*a, "k", "2");
  REQUIRE(a->write(*batch));
  CHECK(get(*a, "k") == "1");
}

BOTH_STORES("a range deletion takes its begin, leaves its end") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"a", "b", "c", "d", "e"})
    put(*a, key, "v");
  auto batch = a->new_batch();
  batch->erase_range("b", "d");
  REQUIRE(a->write(*batch));
  CHECK(rows(*a) == "a=v d=v e=v ");
  CHECK(get(*a, "b") == "(none)");
}

BOTH_STORES("a range deletion hits what its batch put before it, not after") {
  TestType w;
  auto a = w.open("a");
  auto batch = a->new_batch();
  batch->put("b1", "before");
  batch->erase_range("b", "c");
  batch->put("b2", "after");
  REQUIRE(a->write(*batch));
  CHECK(rows(*a) == "b2=after ");
}

BOTH_STORES("an empty or reversed range deletes nothing") {
  TestType w;
  auto a = w.open("a");
  put(*a, "b", "v");
  auto batch = a->new_batch();
  batch->erase_range("b", "b");
  batch->erase_range("c", "a");
  REQUIRE(a->write(*batch));
  CHECK(rows(*a) == "b=v ");
}

BOTH_STORES("keys are ordered by their bytes, zero and 255 too") {
  TestType w;
  auto a = w.open("a");
  const std::string zero("k\0", 2);
  put(*a, "k\xff", "3");
  put(*a, "ka", "2");
  put(*a, zero, "1");
  put(*a, "k", "0");
  auto at = a->scan("", "");
  std::string values;
  for (at->seek(""); at->valid(); at->next())
    values += at->value();
  CHECK(values == "0123");
  CHECK(get(*a, zero) == "1");
}

BOTH_STORES("an empty value is a value") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k", "");
  CHECK(get(*a, "k").empty());
  CHECK(get(*a, "other") == "(none)");
}

BOTH_STORES("a cursor stays in its bounds wherever it is sent") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"a", "b", "c", "d", "e"})
    put(*a, key, "v");
  CHECK(rows(*a, "b", "d") == "b=v c=v ");
  auto at = a->scan("b", "d");
  at->seek("a");
  REQUIRE(at->valid());
  CHECK(at->key() == "b");
  at->prev();
  CHECK_FALSE(at->valid());
  at->seek("d");
  CHECK_FALSE(at->valid());
  at->seek_for_prev("z");
  REQUIRE(at->valid());
  CHECK(at->key() == "c");
  at->next();
  CHECK_FALSE(at->valid());
  at->seek_for_prev("a");
  CHECK_FALSE(at->valid());
  CHECK(at->status());
}

BOTH_STORES("bounds between the keys hide what lies outside") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"b", "d", "f"})
    put(*a, key, "v");
  CHECK(rows(*a, "c", "e") == "d=v ");
  CHECK(rows(*a, "e", "e").empty());
  CHECK(rows(*a, "e", "c").empty());
  CHECK(rows(*a, "g", "").empty());
  auto at = a->scan("c", "e");
  at->seek_for_prev("e");
  REQUIRE(at->valid());
  CHECK(at->key() == "d");
  at->seek_for_prev("c");
  CHECK_FALSE(at->valid());
}

BOTH_STORES("seek_for_prev finds the last key at or below") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"b", "d"})
    put(*a, key, "v");
  auto at = a->scan("", "");
  at->seek_for_prev("d");
  REQUIRE(at->valid());
  CHECK(at->key() == "d");
  at->seek_for_prev("c");
  REQUIRE(at->valid());
  CHECK(at->key() == "b");
  at->seek_for_prev("a");
  CHECK_FALSE(at->valid());
}

BOTH_STORES("a cursor keeps its view while writes and flushes go on") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"a", "b", "c"})
    put(*a, key, "old");
  auto at = a->scan("", "");
  at->seek("");
  auto batch = a->new_batch();
  batch->put("a", "new");
  batch->erase("b");
  batch->put("bb", "new");
  batch->erase_range("c", "d");
  REQUIRE(a->write(*batch));
  REQUIRE(a->flush());
  std::string seen;
  for (; at->valid(); at->next())
    seen.append(at->key()).append("=").append(at->value()).append(" ");
  CHECK(seen == "a=old b=old c=old ");
  at->seek("a");
  CHECK(at->value() == "old");
  CHECK(rows(*a) == "a=new bb=new ");
}

BOTH_STORES("a crash loses what was written after the last flush, no more") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k1", "flushed");
  put(*a, "k2", "flushed");
  REQUIRE(a->flush());
  put(*a, "k2", "lost");
  put(*a, "k3", "lost");
  a = w.crash(std::move(a));
  CHECK(rows(*a) == "k1=flushed k2=flushed ");
  put(*a, "k4", "v"); // and it works on
  CHECK(get(*a, "k4") == "v");
}

BOTH_STORES("a crash before the first flush leaves an empty store") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k1", "lost");
  a = w.crash(std::move(a));
  CHECK(rows(*a).empty());
}

BOTH_STORES("deletions that were flushed survive a crash") {
  TestType w;
  auto a = w.open("a");
  for (auto key : {"a", "b", "c", "d"})
    put(*a, key, "v");
  REQUIRE(a->flush());
  auto batch = a->new_batch();
  batch->erase("a");
  batch->erase_range("c", "d");
  REQUIRE(a->write(*batch));
  REQUIRE(a->flush());
  a = w.crash(std::move(a));
  CHECK(rows(*a) == "b=v d=v ");
}

BOTH_STORES("a checkpoint opens as a store with the rows of its moment") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k1", "v");
  REQUIRE(a->flush());
  put(*a, "k2", "not flushed");
  REQUIRE(a->checkpoint(w.directory("snapshot")));
  put(*a, "k1", "later");
  auto copy = w.open("snapshot");
  CHECK(rows(*copy) == "k1=v k2=not flushed ");
  CHECK(copy->verify());
  put(*copy, "k3", "own"); // neither sees the other's writes
  CHECK(rows(*a) == "k1=later k2=not flushed ");
}

BOTH_STORES("a checkpoint does not overwrite what exists") {
  TestType w;
  auto a = w.open("a");
  put(*a, "k", "v");
  REQUIRE(a->checkpoint(w.directory("snapshot")));
  auto again = a->checkpoint(w.directory("snapshot"));
  REQUIRE_FALSE(again);
  CHECK(again.reason().code == errc::io_failed);
  CHECK(again.reason().detail.find("snapshot") != std::string::npos);
}

BOTH_STORES("sizes tell the unflushed bytes and those on disk") {
  TestType w;
  auto a = w.open("a");
  REQUIRE(a->flush());
  const auto before = a->size();
  for (char key = 'a'; key <= 'z'; ++key)
    put(*a, std::string(1, key), std::string(100'000, key));
  CHECK(a->size().memtable_bytes >= before.memtable_bytes + 2'600'000);
  REQUIRE(a->flush());
  CHECK(a->size().memtable_bytes < 2'600'000);
  CHECK(a->size().disk_bytes > before.disk_bytes);
}
