/* Texts of several lists, numbered by one hash table, so that the lists can be joined. */

#include "native.h"

/* An open table of texts: their hashes, and where they first occur, if the lists stood in a row,
   plus one; 0 is an empty slot. */
typedef struct {
    Py_hash_t hash;
    int64_t first;
} TextSlot;

typedef struct {
    PyObject *const *lists;
    const int64_t *starts; /* of each list in the row */
    int64_t *numbers, found;
    TextSlot *slots;
    int bits;
} Texts;

static size_t place_of(Py_hash_t hash, int bits)
{
    return (size_t)(((uint64_t)hash * GOLDEN) >> (64 - bits));
}

/* The text at a place, read from its list: nothing is held that could vanish. */
static PyObject *text_at(const Texts *all, int64_t place)
{
    int list = 0;
    while (place >= all->starts[list + 1])
        list++;
    PyObject *text = PyList_GetItem(all->lists[list], (Py_ssize_t)(place - all->starts[list]));
    if (!text || Py_TYPE(text) != &PyUnicode_Type) {
        PyErr_SetString(PyExc_RuntimeError, "the lists of ids changed while they were read");
        return NULL;
    }
    return text;
}

/* Find the slot of a text, or the empty one where it belongs; NULL and an exception on errors. */
static TextSlot *find_slot(const Texts *all, PyObject *text, Py_hash_t hash)
{
    size_t mask = ((size_t)1 << all->bits) - 1;
    for (size_t place = place_of(hash, all->bits);; place = (place + 1) & mask) {
        TextSlot *slot = &all->slots[place];
        if (!slot->first)
            return slot;
        if (slot->hash != hash)
            continue;
        PyObject *known = text_at(all, slot->first - 1);
        int same = !known ? -1 : known == text ? 1 : PyObject_RichCompareBool(known, text, Py_EQ);
        if (same < 0)
            return NULL;
        if (same)
            return slot;
    }
}

/* Take some texts of a list and their hashes; 0 where one is not text, -1 on errors. */
static int take_block(const Texts *all, PyObject *list, Py_ssize_t begin, int count,
                      PyObject **texts, Py_hash_t *hashes)
{
    for (int i = 0; i < count; i++) {
        texts[i] = PyList_GetItem(list, begin + i);
        if (!texts[i])
            return -1;
        PREFETCH(texts[i]);
    }
    for (int i = 0; i < count; i++) {
        if (Py_TYPE(texts[i]) != &PyUnicode_Type)
            return 0;
        hashes[i] = PyObject_Hash(texts[i]);
        if (hashes[i] == -1 && PyErr_Occurred())
            return -1;
        PREFETCH(&all->slots[place_of(hashes[i], all->bits)]);
    }
    for (int i = 0; i < count; i++) {
        const TextSlot *slot = &all->slots[place_of(hashes[i], all->bits)];
        if (slot->first)
            PREFETCH(&all->numbers[slot->first - 1]);
    }
    return 1;
}

/* Number the texts of one list; 0 where one is not text, -1 on errors. */
static int number_list(Texts *all, int list)
{
    PyObject *texts[GROUP];
    Py_hash_t hashes[GROUP];
    Py_ssize_t length = (Py_ssize_t)(all->starts[list + 1] - all->starts[list]);
    for (Py_ssize_t begin = 0; begin < length; begin += GROUP) {
        if (check_signals(begin) < 0)
            return -1;
        int count = length - begin < GROUP ? (int)(length - begin) : GROUP;
        int good = take_block(all, all->lists[list], begin, count, texts, hashes);
        if (good != 1)
            return good;
        for (int i = 0; i < count; i++) {
            TextSlot *slot = find_slot(all, texts[i], hashes[i]);
            if (!slot)
                return -1;
            int64_t place = all->starts[list] + begin + i;
            if (slot->first) {
                all->numbers[place] = all->numbers[slot->first - 1];
            } else {
                all->numbers[place] = all->found++;
                *slot = (TextSlot){hashes[i], place + 1};
            }
        }
    }
    return 1;
}

/* number_texts(lists: tuple, numbers) -> int or None

   Write the number of each text of several lists, one after the other: 0, 1, … in the order in
   which they first occur. Returns how many there are; None where something is not a plain str, whose
   hash and comparison call no code of others. */
PyObject *number_texts(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *lists, *source, *answer = NULL, **items = NULL;
    Views views = {.taken = 0};
    Py_ssize_t room;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &lists, &source))
        return NULL;
    int64_t *numbers = take_output(&views, source, 8, &room);
    if (!numbers)
        return NULL;
    Py_ssize_t count = PyTuple_Size(lists);
    int64_t *starts = calloc((size_t)count + 1, sizeof *starts);
    items = calloc((size_t)count + 1, sizeof *items);
    Texts all = {items, starts, numbers, 0, NULL, 8};
    if (!starts || !items || count > INT32_MAX) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        items[i] = PyTuple_GetItem(lists, i);
        if (!PyList_Check(items[i])) {
            PyErr_SetString(PyExc_TypeError, "lists are needed");
            goto done;
        }
        starts[i + 1] = starts[i] + PyList_Size(items[i]);
    }
    if (room < starts[count]) {
        PyErr_SetString(PyExc_ValueError, "the output is shorter than the lists");
        goto done;
    }
    /* Twice as many slots as texts: none of the lists makes it grow. */
    while (all.bits < 62 && (int64_t)1 << all.bits < 2 * starts[count])
        all.bits++;
    all.slots = calloc((size_t)1 << all.bits, sizeof *all.slots);
    if (!all.slots) {
        PyErr_NoMemory();
        goto done;
    }
    int good = 1;
    for (int i = 0; good == 1 && i < (int)count; i++)
        good = number_list(&all, i);
    if (good >= 0)
        answer = good ? PyLong_FromLongLong(all.found) : Py_NewRef(Py_None);
done:
    free(all.slots);
    free(items);
    free(starts);
    release_views(&views);
    return answer;
}
