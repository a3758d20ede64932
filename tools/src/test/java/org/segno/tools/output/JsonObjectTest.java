package org.segno.tools.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class JsonObjectTest {
    @Test
    void shouldWriteFieldsInOrder() {
        final JsonObject object = new JsonObject()
                .put("name", "cg")
                .put("count", -3)
                .put("residual", 9.5e-9)
                .put("fine", true)
                .put("reason", null);

        assertEquals(
                "{\"name\": \"cg\", \"count\": -3, \"residual\": 9.5E-9, \"fine\": true, \"reason\": null}",
                object.toString());
    }

    @Test
    void shouldEscapeQuotesBackslashesAndControlCharacters() {
        assertEquals(
                "{\"a\\\"b\": \"c\\\\d\\u000a\\u001fé\"}",
                new JsonObject().put("a\"b", "c\\d\n\u001fé").toString());
    }

    @Test
    void shouldWriteNullForAValueThatIsNoNumber() {
        assertEquals(
                "{\"a\": null, \"b\": null}",
                new JsonObject()
                        .put("a", Double.NaN)
                        .put("b", Double.NEGATIVE_INFINITY)
                        .toString());
    }

    @Test
    void shouldWriteNothingAsAnEmptyObject() {
        assertEquals("{}", new JsonObject().toString());
    }
}
